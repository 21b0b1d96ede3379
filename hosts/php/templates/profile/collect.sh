# Samples until it is interrupted, then writes all stacks to the file $1.
#
# Made by tierup for one run.

php -r 'exit((int) !extension_loaded("excimer"));' || {
    echo "PHP has not loaded its extension excimer (Debian, Ubuntu: apt-get install php-excimer; elsewhere: pecl install excimer)" >&2
    exit 1
}
# Turns the file of one process into stacks in microseconds. A line that ends with `counted` is a request: the process's
# CPU time at its end, and the request's shares of it in the server's scripts and in this sensor. All samples together
# stand for the scripts' time. The rest of the CPU time between the ends of two requests is not PHP code.
scaled='
    $NF == "counted" {
        if (requests++) { scripts += $2; sensor += $3 } else { first = $1; only = $2 }
        last = $1
        next
    }
    { weight = $NF; sub(/ [0-9]+$/, ""); samples[$0] += weight; all += weight }
    function stack(frames, microseconds) {
        if (microseconds >= 1) printf "process %s:\"php\";%s %.0f\n", pid, frames, microseconds
    }
    END {
        if (requests == 1) scripts = only
        for (frames in samples) stack(frames, samples[frames] * (scripts ? scripts / all : {{microseconds}}))
        if (!all) stack("scripts without a sample_[not sampled]", scripts)
        stack("sensor (" folder "/prepend.php:1)", sensor)
        stack("PHP outside of scripts_[not sampled]", last - first - scripts - sensor)
    }'
finish() {
    rm -f on
    for stacks in stacks-*; do
        [ -e "$stacks" ] && awk -v pid="${stacks#stacks-}" -v folder="$PWD" "$scaled" "$stacks"
    done >"$1"
    rm -f stacks-*
    kill "$waiting" 2>/dev/null
    exit 0
}
trap 'finish "$1"' INT TERM
rm -f stacks-*
sleep 100000 &
waiting=$!
# The number of periods in a tick of the kernel. Without its configuration, 250 ticks a second are assumed.
settings=$(zcat /proc/config.gz 2>/dev/null || cat "/boot/config-$(uname -r)" 2>/dev/null)
ticks=$(echo "$settings" | sed -n 's/^CONFIG_HZ=\([0-9][0-9]*\)$/\1/p')
echo $((1000000 / {{microseconds}} / ${ticks:-250})) >on.part
mv on.part on
echo "sampling"
wait "$waiting"
