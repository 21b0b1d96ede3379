//! The commands of the program `tierup`, the hosts that it supports, and its output.
//!
//! This is a library only so that this package's tests can use [`hosts`].
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - what a run shows while it goes on: `src/measure/watcher.rs`; its events: `crates/tierup-bench/src/observer.rs`
//! - a flag of a command: the command's file in `src/commands/`; those that `bench`, `ceiling` and `report` share:
//!   `src/measure/method.rs`, `src/measure/format.rs`
//! - the list of hosts: `src/hosts.rs`

mod commands;
mod console;
mod failure;
pub mod hosts;
mod kept_bounds;
mod measure;
mod metrics;
mod project_page;
mod sources;
mod store;

pub use commands::Command;
pub use console::Console;
pub use failure::{Exit, Failure, Result};
