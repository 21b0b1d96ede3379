//! The proxy between raw sockets: what a client sends, what control is asked, what the client is answered.

mod copies;
mod coverage;
mod lanes;
mod mirroring;
mod pairs;
mod passing;
mod refusing;
mod rollout;
mod sharing;
mod smuggling;
mod support;
mod taking_over;
