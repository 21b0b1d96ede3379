//! A host's part of the CI file that `tierup package --ci` writes.

/// Where the file runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forge {
    GitHub,
    GitLab,
}

/// What differs between hosts. Pieces of YAML are indented as they stand in the file.
#[derive(Debug)]
pub struct Pipeline {
    /// The registry that others install from.
    pub registry: &'static str,
    /// The steps of GitHub that install the language.
    pub setup: &'static str,
    /// A shell script that runs beside the packages: installs one, and makes the golden call. It fails if the answer is another one.
    pub call: String,
    /// The images of the language, for Debian and Alpine.
    pub images: [&'static str; 2],
    /// The steps of GitHub, or the rest of GitLab's job, that publish what is in `dist`, or in `packages`, without a secret.
    pub publish: &'static str,
}
