//! The words of a build: what is wanted, and what became of it.

use std::path::PathBuf;

use tierup_codegen::{Host, HostSettings, Variant};

/// What to build.
pub struct Wanted<'a> {
    pub hosts: Vec<(&'static dyn Host, &'a HostSettings)>,
    pub variants: Vec<Variant>,
    pub mode: Mode,
}

/// What a variant that cannot be built means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Everything that can be had: a crate that is nothing for Wasm leaves a reason in the table.
    Possible,
    /// The user asked for just these: each must be built.
    Asked,
}

/// What became of a variant.
pub struct VariantOutcome {
    pub host: &'static str,
    pub variant: Variant,
    pub result: BuildResult,
}

pub enum BuildResult {
    Built { place: PathBuf, bytes: u64, seconds: f64 },
    No(String),
}
