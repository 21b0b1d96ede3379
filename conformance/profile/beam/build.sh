#!/bin/sh
# Builds the server and its clock, in this folder. Needs a C compiler, and the headers of Erlang (Debian's `erlang-dev`).
set -eu
erlang=$(erl -noinput -eval 'io:put_chars(code:root_dir()), halt().')
cc -O2 -fPIC -shared -I "$erlang/usr/include" -o clock.so clock.c
elixirc -o ebin server.ex
