//! A rollout as a user sees it: real `tierup shadow` and `tierup ramp`, servers that can be made bad at any moment, and
//! clients that record every failed request.
//!
//!     cargo test -p tierup --test rollout
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod clients;
mod programs;
mod ramps;
mod server;
