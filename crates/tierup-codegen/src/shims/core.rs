//! The core Wasm module: the byte ABI and nothing else, for any Wasm runtime.

use tierup_model::Interface;

use super::Library;
use crate::{Files, Project};

/// The library: how to build it, and the built file.
pub fn core_library(interface: &Interface) -> Library {
    Library::dynamic("tierup-core", interface)
}

/// The crate `core/`. Each host builds it, with the features that its own runtime knows.
pub fn core(project: &Project) -> Files {
    let interface = &project.interface;
    let manifest =
        core_library(interface).manifest(interface, "[dependencies]\ntierup-calls = { path = \"../calls\" }");
    let chooses = if interface.alternatives.is_empty() { "" } else { include_str!("../../templates/core/choose.rs") };
    let library = include_str!("../../templates/core/lib.rs").to_owned() + chooses;
    Files::new().with("core/Cargo.toml", manifest).with("core/src/lib.rs", library)
}
