//! A proxy in front of two servers that should answer alike. Control answers every client; a candidate gets copies of
//! some requests, after control has answered them.
//!
//! In: [`Settings`], and a socket that listens. Out: each request passed on to control and its answer to the client
//! ([`Proxy`]), and, for sampled requests, [`Copied`]: what was asked and what control answered. Nothing that happens to
//! a copy can reach a client: it is sent by other threads, through a queue that drops what does not fit.
//!
//! It speaks HTTP/1.1 (RFC 9110, RFC 9112) on both sides. HTTP/2 and TLS belong to a proxy before this one.

mod body;
mod client;
mod copy;
mod exchange;
mod forwarded;
mod hops;
mod proxy;
mod refusal;
mod settings;
mod stream;
mod upstream;

pub use copy::{ControlAnswer, Copied, Copies, CopyCounts, NotCopied, Sample};
pub use proxy::{Counts, Proxy};
pub use settings::{Address, AddressError, Limits, Settings};
