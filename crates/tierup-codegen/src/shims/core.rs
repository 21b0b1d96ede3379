//! The core Wasm module: the byte ABI and nothing else, for any Wasm runtime.

use super::manifest;
use crate::{Files, Project};

/// The package to build.
pub const CORE: &str = "tierup-core";

/// What is built, from the workspace's root.
pub const BUILT_CORE: &str = "target/wasm32-unknown-unknown/wasm/tierup_core.wasm";

/// The crate `core/`. Each host builds it, with the features that its own runtime knows.
pub fn core(project: &Project) -> Files {
    let manifest = manifest(
        &project.interface,
        CORE,
        "[lib]\ncrate-type = [\"cdylib\"]\n\n[dependencies]\ntierup-calls = { path = \"../calls\" }",
    );
    Files::new().with("core/Cargo.toml", manifest).with("core/src/lib.rs", include_str!("../../templates/core/lib.rs"))
}
