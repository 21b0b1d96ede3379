//! The user's project: `tierup.toml`, read and checked against the crate that it names, and the requests beside it.
//!
//! In: a folder, and all known hosts. Out: a [`Loaded`] project, or all problems that were found, each with its place.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - a key in `tierup.toml`: `src/keys/table.rs` (then `UPDATE_EXPECT=1` writes the reference), and the file of its
//!   section in `src/`; a key of `[bench]` is merged with its flag in `crates/tierup/src/measure/method.rs`

mod alternatives;
mod arguments;
mod bench;
mod check;
mod cost;
mod document;
mod downstream;
pub mod edit;
pub mod enclosing;
mod golden;
mod health;
mod host;
mod keys;
mod loaded;
mod lock;
mod manifest;
mod open;
mod profile;
pub mod quantities;
mod request;
mod requests;
mod rollout;
mod route;
mod route_call;
mod value;

pub use arguments::{Arguments, FunctionArguments};
pub use bench::BenchSettings;
pub use check::{Also, CheckSettings, Normalizer};
pub use cost::Cost;
pub use downstream::DownstreamSettings;
pub use golden::GoldenRequest;
pub use keys::schema;
pub use loaded::{FILE, Loaded, relative, shown};
pub use open::{open, open_before_health};
pub use profile::ProfileSettings;
pub use requests::{Source, requests};
pub use rollout::{Attribute, Available, RolloutRoute, RolloutSettings};
pub use route_call::{RouteCall, route_call};
pub use value::{from_json, to_json};
