//! Guesses a function's Rust signature from its arguments and answers in a server that ran.
//!
//! In: the output of a [`Witness`](tierup_codegen::Witness) ([`Counted`], [`Seen`]), or types that the source declares.
//! Out: a [`Signature`], or why the function cannot move to Rust as it is; the source of a crate whose body the user
//! writes; and the part of a request that each argument came from. The crate opens no files and starts no programs.
//!
//! # How a signature is guessed
//!
//! `tierup init --function` starts the server with its host's `Witness` instead of a sensor
//! (`hosts/node/src/profile/witness.rs`, `hosts/python/src/witness.rs`, `hosts/ruby/src/witness.rs`,
//! `hosts/php/src/witness.rs`, `hosts/beam/src/witness.rs`) and sends single requests
//! (`crates/tierup-sampling/src/witnessing.rs`). `tierup-signature` merges the seen types (`shape.rs`), guesses the
//! signature (`signature.rs`, `spelled.rs`; `most.rs` if an argument was of several kinds), writes the crate
//! (`source.rs`), and finds the part of a request that an argument came from (`origin.rs`). In TypeScript, in
//! JavaScript with JSDoc and in Python with annotations, the declaration gives the types and calls narrow them
//! (`hosts/node/src/declared.rs`, `hosts/python/templates/witness/annotations.py`; `declared.rs`). In Go and Java, the
//! declaration gives the types (`hosts/go/src/declared.rs`, `hosts/java/src/declared.rs`, `declared.rs`), and the
//! witness only records calls, for the golden call (`golden.rs`; `hosts/go/src/witness/noting.rs`,
//! `hosts/java/templates/witness/Calls.java`). `crates/tierup/src/commands/init/function.rs` writes the project.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod declared;
mod golden;
mod kinds;
mod most;
mod origin;
mod seen;
mod shape;
mod signature;
mod source;
mod spelled;

pub use declared::{can_have_golden, golden_of_declared, of_declared, signature};
pub use golden::{Golden, golden};
pub use most::Most;
pub use origin::{Origin, SentRequest, origins};
pub use seen::{Counted, Seen, SeenParameter, counted, seen};
pub use shape::Shape;
pub use signature::{Parameter, Signature};
pub use source::library;
