# Samples from now on until it is interrupted, then writes all stacks to the file $1.
#
# Made by tierup for one run.

php -r 'exit((int) !extension_loaded("excimer"));' || {
    echo "PHP has not loaded its extension excimer (Debian, Ubuntu: apt-get install php-excimer; elsewhere: pecl install excimer)" >&2
    exit 1
}
finish() {
    rm -f on
    cat stacks-* >"$1" 2>/dev/null || : >"$1"
    rm -f stacks-*
    kill "$waiting" 2>/dev/null
    exit 0
}
trap 'finish "$1"' INT TERM
rm -f stacks-*
sleep 100000 &
waiting=$!
# The periods in a tick of the kernel, which has 250 a second where nothing says otherwise.
settings=$(zcat /proc/config.gz 2>/dev/null || cat "/boot/config-$(uname -r)" 2>/dev/null)
ticks=$(echo "$settings" | sed -n 's/^CONFIG_HZ=\([0-9][0-9]*\)$/\1/p')
echo $((1000000 / {{microseconds}} / ${ticks:-250})) >on.part
mv on.part on
echo "sampling"
wait "$waiting"
