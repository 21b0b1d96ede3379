#!/bin/sh
# Made by tierup. Compiles the driver, with the server's own functions, and becomes it. Its requests and answers are on
# descriptors 3 and 4: nobody else is to have them.
cd "$(dirname "$0")" || exit
rm -f go.work go.work.sum
unset GOWORK
go work init . .. FOLDER 3<&- 4>&- &&
	go build -tags tierup_driver -o driver . 3<&- 4>&- &&
	exec ./driver
