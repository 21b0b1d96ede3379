//! Reads requests files: `.http`, the format of VS Code's REST Client and JetBrains' HTTP client, and HAR, which
//! browsers record.
//!
//! In: the text of a file, and what it refers to (a [`Context`]: variables, the time, files for bodies).
//! Out: a [`Set`] (distinct [`Request`]s and the order in which to send them), or all problems as
//! [`Diagnostic`](tierup_diagnostic::Diagnostic)s.
//!
//! A recording is read in one step: [`Recording::parse`]. A `.http` file takes two steps. [`Templates::parse`] reads
//! the text: `blocks` cuts it at `###`, `block` reads one request, `text` finds the variables in it, and `dynamic`
//! reads the variables that generate values. [`Templates::expand`] gives the variables values: `evaluate` handles one
//! text, `render` one request, `expand` as many requests as are asked for. Nothing here does I/O or asks for the time,
//! so the same text, seed and context give the same requests on every machine.
//!
//! The supported parts of the formats, and how the mix is formed: `docs/requests.md`.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod block;
mod blocks;
mod body;
mod context;
mod datetime;
mod dynamic;
mod evaluate;
mod expand;
mod har;
mod headers;
mod identifier;
mod included;
mod problems;
mod random;
mod render;
mod request;
mod request_line;
mod routes;
mod secrets;
mod set;
mod shift;
mod source;
mod target;
mod templates;
mod text;
mod values;

pub use context::{Context, Files};
pub use datetime::Moment;
pub use har::{LeftOut, Reason, Recording};
pub use identifier::{is_identifier, may_let_in};
pub use request::{FileLine, Request, Secret};
pub use routes::Route;
pub use secrets::{MOST_NAMED, Secrets, is_credential, named_values, without_credentials};
pub use set::{Mix, Set};
pub use templates::Templates;
