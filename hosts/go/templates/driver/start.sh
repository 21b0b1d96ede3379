#!/bin/sh
# Made by tierup. Compiles the driver with the server's own functions and runs it. Descriptors 3 and 4 carry requests
# and answers, so no other program may inherit them. Each driver has a folder, which it removes.
cd "$(dirname "$0")" || exit
TIERUP_DRIVER=$(mktemp -d) || exit
# This workspace overrides any around the server.
export TIERUP_DRIVER GOWORK="$TIERUP_DRIVER/go.work"
GOFLAGS= go work init . .. {{folder}} 3<&- 4>&- &&
	GOFLAGS=-mod=readonly go build -buildvcs=false -tags tierup_driver -o "$TIERUP_DRIVER/driver" . 3<&- 4>&- &&
	exec "$TIERUP_DRIVER/driver"
rm -rf "$TIERUP_DRIVER"
exit 1
