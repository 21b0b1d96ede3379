//! Requests as sent, answers as kept, and reports of missing answers, with servers over real sockets.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod ending;
mod sent;
mod server;
mod silences;
mod streaming;
