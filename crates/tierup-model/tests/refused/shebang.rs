#!/usr/bin/env run-cargo-script
pub fn f(x: u128) {}
