//! The place where steps are carried out: folders, variables and the machine.

use std::path::PathBuf;

/// Where steps are carried out.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// The absolute path of the project's `.tierup/`.
    pub root: PathBuf,
    /// The absolute path of the cache in which the Wasm tools are built once for all projects of the user.
    pub cache: PathBuf,
    /// Variables for all programs of the steps, in addition to tierup's own environment.
    pub environment: Vec<(String, String)>,
    /// The target triple of this machine, for [`THIS_MACHINE`](tierup_codegen::THIS_MACHINE).
    pub this_machine: String,
}
