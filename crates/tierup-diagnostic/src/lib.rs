//! Located errors, shared by everything that reads a text of the user's: Rust source, `tierup.toml`, requests files.
//!
//! In: a message, and the part of a text at fault. Out: the error with its line, a caret and a hint ([`Diagnostic`]),
//! and the known name that a misspelled one probably means ([`nearest`]).

mod diagnostic;
mod nearest;

pub use diagnostic::{Diagnostic, Place};
pub use nearest::nearest;
