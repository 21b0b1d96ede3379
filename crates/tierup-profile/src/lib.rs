//! Profiles of a host's server: which functions of the user's own code take the CPU, and what a rewrite of one could buy.
//!
//! In: profiles as tools write them, and the rules by which a host names its frames. Out: a [`Profile`]. It opens no files
//! and starts no programs.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod naming;
mod profile;
mod read;

pub use naming::Naming;
pub use profile::{Frame, FrameId, Kind, Profile, Sample, StackId, Unit};
pub use read::{Format, MOST_BYTES, Reading, read};
