//! The Rust crates of a project's `.tierup/` workspace that no host needs to write for itself.

mod calls;
mod cli;
pub mod component;
mod driver;
pub mod json;
mod lend;
mod library;
mod sandbox;
pub mod server;
mod workspace;

use sha2::{Digest as _, Sha256};
use tierup_model::Interface;

use crate::{Files, Project};

pub use calls::{calls, is_direct};
pub use cli::cli;
pub use driver::{ALONE, driver, driver_program};
pub use library::Library;
pub use sandbox::{CALLS, CALLS_IN_SANDBOX, impossible as sandbox_impossible, precompiled, sandbox};
pub use workspace::{BASE, WasmRuntime, build_native, built_member, built_native, manifest, workspace};

/// The interface, with a version that no other project has: for the manifest of a generated crate, so that projects in
/// a shared build folder (`build.build-dir`) do not take each other's.
///
/// Cargo tells packages there apart by name, version and dependencies. Most generated crates depend on the user's
/// crate. A crate that only embeds files of the project need not, and the output of its build script (compiled C, for
/// instance) never depends on it: such a crate would take another project's files.
pub fn identified(project: &Project) -> Interface {
    let digest = Sha256::digest(project.crate_folder.as_os_str().as_encoded_bytes());
    let folder: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let version = &project.interface.version;
    let separator = if version.contains('+') { '.' } else { '+' };
    Interface { version: format!("{version}{separator}{folder}"), ..project.interface.clone() }
}

/// The library: how to build it, and the built file.
pub fn core_library(interface: &Interface) -> Library {
    Library::dynamic("tierup-core", interface)
}

/// The crate `core/`. Each host builds it, with the features that its own runtime knows.
pub fn core(project: &Project) -> Files {
    let interface = &project.interface;
    let manifest =
        core_library(interface).manifest(interface, "[dependencies]\ntierup-calls = { path = \"../calls\" }");
    let chooses = if interface.alternatives.is_empty() { "" } else { include_str!("../templates/core/choose.rs") };
    let library = include_str!("../templates/core/lib.rs").to_owned() + chooses;
    Files::new().with("core/Cargo.toml", manifest).with("core/src/lib.rs", library)
}
