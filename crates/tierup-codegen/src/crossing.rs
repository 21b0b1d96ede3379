//! The cost of one call through a host's package: measured once by `conformance/crossings`, and shipped with tierup for the
//! time before a project is built.

use crate::Variant;

/// The cost of one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    pub variant: Variant,
    /// Microseconds of a call with 64 bytes of text, which comes back.
    pub microseconds: f64,
    /// The machine and the versions that were measured.
    pub measured: &'static str,
}
