//! Tells the linker what an addon of Node needs.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    napi_build::setup();
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "windows") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // zig drops rustc's list of exports, and would export everything. From the workspace's folder, where rustc runs.
        println!("cargo::rustc-link-arg-cdylib=node-native/windows/exports.def");
    }
}
