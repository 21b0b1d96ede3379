#!/bin/sh
# Cargo runs this script as a wrapper of rustc for workspace packages, so that clippy compiles and lints in one pass. A
# library is fully linted when it is compiled with its tests. Compiled as a dependency (without `cfg(test)`), it gets
# only the lints that its own source asks for: tests are exempt from those that keep a crate from doing I/O.
case " $* " in
    *" --test "*) exec clippy-driver "$@" ;;
    *" --crate-type lib "*) exec clippy-driver "$@" -A clippy::all -D warnings ;;
    *) exec clippy-driver "$@" ;;
esac
