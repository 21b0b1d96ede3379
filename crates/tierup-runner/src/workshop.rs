//! The place where steps are carried out: folders, variables and the machine.

use std::path::PathBuf;

/// Where steps are carried out.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// The project's `.tierup/`, absolute.
    pub root: PathBuf,
    /// Where the Wasm tools are built once for all projects of the user, absolute.
    pub cache: PathBuf,
    /// Variables for every program that is run, in addition to tierup's own environment.
    pub environment: Vec<(String, String)>,
    /// The target triple of this machine, for [`THIS_MACHINE`](tierup_codegen::THIS_MACHINE).
    pub this_machine: String,
}
