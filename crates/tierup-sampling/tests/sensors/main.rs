//! The sensor of each host, on a server written for the test: every process is sampled, and nothing is left behind.
//! `cargo xtask test end-to-end` runs it: it needs every host's programs, and fetches py-spy and async-profiler.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]
#![cfg(unix)]

mod beam;
mod common;
mod go;
mod java;
mod node;
mod perf;
mod php;
mod python;
mod shares;
