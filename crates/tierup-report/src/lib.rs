//! Lays out the results of other crates. In: numbers, texts, tables and charts. Out: text for a terminal, Markdown, and
//! HTML pages, as `String`s.
//!
//! This crate knows no rows, servers or experiments: a crate with a report converts it to the types here, and
//! implements [`Exporter`] for each format that it supports. All text is untrusted: [`printable`] and the formats' own
//! escaping make it harmless.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - a new format of a bench report: a file beside `crates/tierup-bench/src/report/markdown.rs` for `RunReport` and
//!   `SideBySide`, an arm in `crates/tierup/src/measure/format.rs`, and its type in `src/exporter.rs`;
//!   `crates/tierup/src/measure/output.rs` says which formats are kept as files

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

pub mod chart;
mod exporter;
pub mod html;
pub mod json;
pub mod markdown;
pub mod numbers;
pub mod printable;
pub mod prometheus;
pub mod table;
pub mod text;

pub use exporter::{Exporter, Html, Json, Markdown, Text};
