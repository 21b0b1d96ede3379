//! Located errors, shared by all readers of a user's texts: Rust source, `tierup.toml`, requests files.
//!
//! In: a message, and the part of a text at fault. Out: the error with its line, a caret and a hint ([`Diagnostic`]),
//! and the known name that a misspelled one probably means ([`nearest`]). A [`Failure`] ends a command: it holds such
//! errors, or another cause, and the next step. [`Exit`] is its exit code.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - what an exit code means: `src/failure.rs`; the documentation as a site: `book.toml`, `docs/SUMMARY.md`

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod diagnostic;
mod failure;
mod nearest;

pub use diagnostic::{Diagnostic, Place};
pub use failure::{Exit, Failure, Result, disk_is_full};
pub use nearest::nearest;
