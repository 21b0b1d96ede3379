//! Guesses a function's Rust signature from what it was given and answered in a server that ran.
//!
//! In: what a [`Witness`](tierup_codegen::Witness) wrote ([`Counted`], [`Seen`]), or types that the source declares. Out: a
//! [`Signature`], or why the function cannot move to Rust as it is; the source of a crate whose body is still to be
//! written; and the part of a request that each argument came from. It opens no files and starts no programs.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod declared;
mod golden;
mod origin;
mod seen;
mod shape;
mod signature;
mod source;
mod spelled;

pub use declared::{can_have_golden, golden_of_declared, of_declared, of_declared_and_seen};
pub use golden::{Golden, golden};
pub use origin::{Asked, Origin, origins};
pub use seen::{Counted, Seen, SeenParameter, counted, seen};
pub use shape::Shape;
pub use signature::{Parameter, Signature, signature};
pub use source::library;
