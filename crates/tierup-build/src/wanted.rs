//! The input and the result of a build.

use std::path::PathBuf;

use tierup_codegen::{Host, HostSettings, Variant};

/// What to build.
pub struct Wanted<'a> {
    pub hosts: Vec<(&'static dyn Host, &'a HostSettings)>,
    pub variants: Vec<Variant>,
    pub mode: Mode,
}

/// What to do about a variant that cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Leave it out with the reason, e.g. a crate that does not compile to Wasm.
    Possible,
    /// Fail, as the user asked for just these variants.
    Asked,
}

/// The result of one variant.
pub struct VariantOutcome {
    pub host: &'static str,
    pub variant: Variant,
    pub result: BuildResult,
}

pub enum BuildResult {
    Built { place: PathBuf, bytes: u64, seconds: f64 },
    No(String),
}
