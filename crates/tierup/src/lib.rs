//! The parts of the program `tierup`: the commands, the hosts that it knows, and what it prints.
//!
//! A library only so that this package's tests reach [`hosts`]; nobody else is meant to use it.

mod commands;
mod console;
mod failure;
pub mod hosts;
mod kept_bounds;
mod measure;
mod project_page;

pub use commands::Command;
pub use console::Console;
pub use failure::{Exit, Failure, Result, render};
