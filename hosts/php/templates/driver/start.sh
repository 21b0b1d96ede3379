#!/bin/sh
# Made by tierup; the same for every project. Becomes the driver, with the extension where it was built.
cd "$(dirname "$0")/.." || exit
extension=$PWD/artifacts/native.so
test -f "$extension" && set -- -d "extension=$extension"
exec php "$@" driver/driver.php
