//! The proxy between raw sockets: what a client sends, what control receives, and what the client gets back.

mod copies;
mod coverage;
mod lanes;
mod late;
mod mirroring;
mod pairs;
mod passing;
mod places;
mod refusing;
mod rollout;
mod safe;
mod sharing;
mod smuggling;
mod support;
mod taking_over;
