# Builds the witness for the PHP of `php-config`, or of the program that the environment variable PHP_CONFIG names.
#
# Made by tierup for one run.

config=${PHP_CONFIG:-php-config}
compiler=${CC:-cc}
needs() {
    echo "PHP's functions cannot be watched without $1 (Debian, Ubuntu: apt-get install $2)" >&2
    exit 1
}
includes=$("$config" --includes) && [ -e "$("$config" --include-dir)/main/php.h" ] || needs "PHP's headers" php-dev
command -v "$compiler" >/dev/null || needs "a C compiler" gcc
# The functions that the witness calls are in PHP's own program.
[ "$(uname)" != Darwin ] || undefined="-undefined dynamic_lookup"
"$compiler" -std=gnu11 -Werror=implicit-function-declaration -shared -fPIC -O1 -fvisibility=hidden -pthread $includes ${undefined-} -o witness.so ./*.c
