//! Carries out what the other crates only describe: writes [`Files`](tierup_codegen::Files), runs
//! [`Step`](tierup_codegen::Step)s, keeps the record of what was built, starts and stops servers.
//!
//! It is the only crate that spawns processes. It prints nothing: it tells an [`Observer`] what happens.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - what builds and finds the Wasm tools: `src/wasm_tool.rs`; which programs there are:
//!   `crates/tierup-codegen/src/wasm_tool.rs`
//! - the words of an error: `src/error.rs`; the command that installs a missing program: `crates/tierup-rows/src/needs.rs`
//! - files that only their owner can read: `src/private.rs`

mod beside;
mod bounded;
mod built;
#[cfg(unix)]
mod caller;
mod convert;
mod copy;
#[cfg(unix)]
mod driver;
mod error;
mod feed;
mod files;
mod foreground;
#[cfg(unix)]
mod frames;
mod http;
mod interrupt;
mod lock;
#[cfg(unix)]
mod memory;
mod observer;
mod output;
pub mod port;
pub mod private;
mod process;
mod server;
mod step;
mod tree;
#[cfg(unix)]
mod wait;
mod wasm_tool;
mod within;
mod workshop;

pub use beside::Beside;
pub use bounded::{Bounds, Printed, run_bounded};
pub use built::BuildRecord;
#[cfg(unix)]
pub use caller::Caller;
pub use convert::converted;
pub use copy::free_space;
#[cfg(unix)]
pub use driver::{Call, CallAnswer, CallEnding, Driver};
pub use error::{Error, Result};
pub use feed::{feed, feed_until};
pub use files::{Written, read_text, write, write_file};
pub use foreground::{Ended, Foreground, foreground};
#[cfg(unix)]
pub use frames::Frames;
pub use interrupt::Interrupts;
pub use lock::Lock;
pub use observer::{Observer, Progress, Quiet};
pub use process::{capture, capture_with, capture_without, run, run_without};
pub use server::{Ready, Server, Start};
pub use step::carry_out;
pub use within::run_within;
pub use workshop::Workshop;
