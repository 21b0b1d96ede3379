//! What the program `tierup` is made of: the commands, the hosts that it knows, and the reading of `tierup.toml`.
//!
//! A library only so that this package's tests reach [`hosts`] and [`project`]; nobody else is meant to use it.

mod build;
mod check;
mod commands;
mod console;
mod depends;
mod downstream;
mod failure;
pub mod hosts;
mod measure;
mod needs;
mod paths;
mod private;
pub mod project;
mod rows;
mod server_folder;

pub use commands::Command;
pub use console::Console;
pub use failure::{Failure, Result};
