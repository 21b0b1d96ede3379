#!/bin/sh
# Cargo calls this in rustc's place, with rustc's command line, for packages of the workspace: clippy compiles and lints.
# A library is linted where it is compiled with its tests, which is the same code and more. Where it is compiled for what
# depends on it, only what its own source asks for is read again: that a crate only computes, which its tests need not.
case " $* " in
    *" --test "*) exec clippy-driver "$@" ;;
    *" --crate-type lib "*) exec clippy-driver "$@" -A clippy::all -D warnings ;;
    *) exec clippy-driver "$@" ;;
esac
