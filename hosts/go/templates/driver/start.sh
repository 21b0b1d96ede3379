#!/bin/sh
# Made by tierup. Compiles the driver, with the server's own functions, and becomes it. Its requests and answers are on
# descriptors 3 and 4: no other program may have them. Several may be started at a time: each has a folder, which it removes.
cd "$(dirname "$0")" || exit
TIERUP_DRIVER=$(mktemp -d) || exit
# Whatever workspace of the user's is around it.
export TIERUP_DRIVER GOWORK="$TIERUP_DRIVER/go.work"
GOFLAGS= go work init . .. {{folder}} 3<&- 4>&- &&
	GOFLAGS=-mod=readonly go build -buildvcs=false -tags tierup_driver -o "$TIERUP_DRIVER/driver" . 3<&- 4>&- &&
	exec "$TIERUP_DRIVER/driver"
rm -rf "$TIERUP_DRIVER"
exit 1
