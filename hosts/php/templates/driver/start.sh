#!/bin/sh
# Made by tierup; the same for every project. Becomes the driver, with the extensions that were built.
cd "$(dirname "$0")/.." || exit
for extension in "$PWD/artifacts/native.so" "$PWD/artifacts/core.so"; do
    test -f "$extension" && set -- "$@" -d "extension=$extension"
done
exec php "$@" driver/driver.php
