//! The interface reader from outside: source text in, interface or diagnostics out.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod fixtures;
mod golden;
mod never_panics;
mod rustc_agrees;
