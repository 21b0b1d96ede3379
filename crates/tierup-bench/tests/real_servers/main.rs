//! Tests the load generator and whole runs against real servers over real sockets, most of which misbehave.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod accuracy;
mod answers;
mod benchmark;
mod bytes;
mod closing;
mod failing_rows;
mod keeping_time;
mod omission;
mod order;
mod rates;
mod server;
