//! What is sent, what is kept of an answer, and what is reported if none comes, with servers over real sockets.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod ending;
mod sent;
mod server;
mod silences;
mod streaming;
