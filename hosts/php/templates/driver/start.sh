#!/bin/sh
# Made by tierup; the same for every project. Runs the driver with the built extensions, and with APCu for 0:memo.
cd "$(dirname "$0")/.." || exit
for extension in "$PWD/artifacts/native.so" "$PWD/artifacts/core.so"; do
    test -f "$extension" && set -- "$@" -d "extension=$extension"
done
exec php -d apc.enable_cli=1 "$@" driver/driver.php
