#!/bin/sh
# Made by tierup. Compiles the driver, with the server's own functions, and becomes it. Its requests and answers are on
# descriptors 3 and 4: nobody else is to have them.
cd "$(dirname "$0")" || exit
rm -f go.work go.work.sum
# Whatever workspace of the user's is around it.
export GOWORK="$PWD/go.work"
GOFLAGS= go work init . .. FOLDER 3<&- 4>&- &&
	GOFLAGS=-mod=readonly go build -buildvcs=false -tags tierup_driver -o driver . 3<&- 4>&- &&
	exec ./driver
