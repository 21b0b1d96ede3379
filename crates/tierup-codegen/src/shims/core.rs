//! The core Wasm module: the byte ABI and nothing else, for any Wasm runtime.

use super::{WasmFeatures, build_wasm, manifest};
use crate::{Files, Project, Recipe, Step};

/// The crate `core/`, and the build that leaves `target/wasm32-unknown-unknown/wasm/tierup_core.wasm`,
/// for any runtime. A host whose runtime can do more builds it once more.
pub fn core(project: &Project) -> Recipe {
    let manifest = manifest(
        &project.interface,
        "tierup-core",
        "[lib]\ncrate-type = [\"cdylib\"]\n\n[dependencies]\ntierup-calls = { path = \"../calls\" }",
    );
    let files = Files::new()
        .with("core/Cargo.toml", manifest)
        .with("core/src/lib.rs", include_str!("../../templates/core/lib.rs"));
    Recipe { files, steps: vec![Step::Run(build_wasm("tierup-core", WasmFeatures::Basic))] }
}
