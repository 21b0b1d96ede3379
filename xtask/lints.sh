#!/bin/sh
# Cargo calls this in rustc's place, with rustc's command line, for packages of the workspace: clippy compiles and lints.
# A library is linted where it is compiled with its tests, which is the same code and more; beside that it is compiled for
# what depends on it, without reading it for lints again.
case " $* " in
    *" --test "*) exec clippy-driver "$@" ;;
    *" --crate-type lib "*) exec "$@" -D warnings ;;
    *) exec clippy-driver "$@" ;;
esac
