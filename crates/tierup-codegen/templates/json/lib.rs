//! JSON to your types and back, for the command line and the server.
//!
//! [`parse`] reads and [`to_string`] writes; `types.rs` says how each of your records and enums looks. The form is
//! serde's, with three differences: bytes are base64 text, a case that carries something is
//! `{"type": "Circle", "value": 1.5}`, and numbers are written as JavaScript writes them. [`Keys`] says how fields are
//! named. Reading is strict: unknown fields, repeated keys and numbers that do not fit
//! are refused, in a message that says where.
//!
//! There is no dependency here on purpose: cargo unites the features of crates that a build shares, so a JSON library
//! with settings of ours could change what your own use of it answers.

#![allow(dead_code, unused_imports, reason = "not every interface needs every way to read and write")]

mod base64;
mod case;
mod keys;
mod problem;
mod read;
mod reader;
mod text;
mod types;
mod write;

pub use keys::Keys;
pub use problem::Problem;
pub use read::{FromJson, given, parse, parse_with};
pub use reader::Reader;
pub use write::{ToJson, Writer, to_string};
