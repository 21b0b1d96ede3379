//! A package that others install without Rust: a host's package with the files that were built for each platform.

use crate::{Command, Files, Target};

/// What the user's crate says of itself, for the manifest of its package.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// An SPDX expression.
    pub license: String,
    pub description: String,
    pub repository: Option<String>,
    /// The license texts of the user's crate, and of the crates that are linked into the build.
    pub licenses: Files,
}

/// The files built for one platform, relative to the host's package.
#[derive(Debug, Clone)]
pub struct BuiltFor {
    pub target: Target,
    pub files: Files,
}

/// Everything that a package is made of.
#[derive(Debug)]
pub struct Parts<'a> {
    pub about: &'a About,
    /// All platforms, even before anything is built.
    pub targets: &'a [Target],
    pub built: &'a [BuiltFor],
    /// Files that are the same for all platforms: the Wasm module, and the record of what was built.
    pub common: &'a Files,
    /// Whether the build was linked for [`Target::floor`] instead of this machine's own version.
    pub keeps_floors: bool,
}

/// How the files of a package become one.
#[derive(Debug, Clone)]
pub enum Pack {
    /// Run in the folder with the files; it leaves the packed file in the folder above.
    Run(Command),
    /// A `.tar.gz` of the files.
    TarGz,
    /// Run in the folder with the files. The packed file is a `.tar.gz` of what is then in `folder` there.
    RunThenTarGz { command: Command, folder: String },
}

/// A package, before it is packed.
#[derive(Debug, Clone)]
pub struct Publishable {
    /// The packed file's name.
    pub file: String,
    pub files: Files,
    pub pack: Pack,
    /// Commands for a folder that holds only `file`: they install it, and make the golden call at each tier.
    pub trial: Vec<Command>,
    /// The one platform that it is for; `None` if it is for all that were built.
    pub only_for: Option<Target>,
}
