//! Identifies generated crates, so that projects in a shared build folder (`build.build-dir`) do not take each other's.
//!
//! Cargo tells packages there apart by name, version and dependencies. Most generated crates depend on the user's. One that
//! embeds files of the project does not have to, and what its build script makes (compiled C, for instance) never depends on
//! it: such a crate would take another project's. So its version says which project it belongs to.

use sha2::{Digest as _, Sha256};
use tierup_model::Interface;

use crate::Project;

/// The interface, with a version that no other project has: for the manifest of such a crate.
pub fn identified(project: &Project) -> Interface {
    let digest = Sha256::digest(project.crate_folder.as_os_str().as_encoded_bytes());
    let folder: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let version = &project.interface.version;
    let separator = if version.contains('+') { '.' } else { '+' };
    Interface { version: format!("{version}{separator}{folder}"), ..project.interface.clone() }
}
