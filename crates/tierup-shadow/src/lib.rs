//! A proxy in front of two servers that should answer alike. Control answers every client; a candidate gets copies of
//! some requests, after control has answered them.
//!
//! In: a [`Setup`], with a listening socket. Out: a [`Shadow`]. It passes each request to control and control's answer
//! to the client, copies the requests that [`Sampled`] chooses, and writes lines of evidence about the candidate's
//! answers to the copies, from which a [`Report`] is made. Nothing that happens to a copy reaches a client: another
//! thread sends it, and copies beyond the limits are dropped and counted.
//!
//! It speaks HTTP/1.1 (RFC 9110, RFC 9112) on both sides. HTTP/2 and TLS belong to a proxy before this one.
//!
//! # How a request goes through a shadow
//!
//! `crates/tierup-rows/src/sides.rs` starts a project's servers, and `src/shadow.rs` puts the shadow in front of them
//! together. It starts a `Proxy` (`src/proxy.rs`): threads with a runtime and connections of their own
//! (`proxy/worker.rs`), on a socket that `listening.rs` opens or takes over. `descriptors.rs` divides the limit of
//! open files. `proxy/client.rs` is a client's connection, `proxy/places.rs` knows which one is closed when a new client
//! finds no place, and `proxy/exchange.rs` is one request: `refusal.rs` refuses what two servers could read differently,
//! `hops.rs` and `forwarded.rs` rewrite headers, `sides.rs` sends it to the server that `steer.rs` chose and falls back
//! to control, `upstream.rs` keeps connections to a server, `live.rs` knows whether it can be reached,
//! `request_body.rs` and `response_body.rs` pass the bodies on, and `account.rs` counts how it ended. A request that a
//! load balancer only mirrors is answered before that (`mirrored.rs`), if control is asked at all (`admission.rs`).
//! `steer/watch.rs` reads the control file; `in_force.rs` is what all threads see of it.
//!
//! `pacing.rs` decides what part is mirrored, `sample.rs` which requests, and whom a copy asks. `copy.rs` keeps both
//! messages within the memory that `shares.rs` divides between routes, and once the client has its answer hands them to the `Mirror`: one thread asks (`mirror/candidate.rs`),
//! another compares (`mirror/comparing.rs`), and `mirror/doubts.rs` says what is asked again. Where servers call
//! other services, `lanes/control.rs` hands out control's processes that have one request each, behind a `Relay` of
//! `tierup-subject`, and `lanes/candidate.rs` the candidate's, behind `Double`s. With a header in the place of lanes,
//! `lanes/by_header.rs` knows whether a record is one request's. Each thread counts into a `Counter`
//! (`collector.rs`); `ledger.rs` turns the counts into lines every five seconds, for `summary.rs` (report, progress,
//! `/metrics`) and `evidence_file.rs`. `mirror/example.rs` removes secrets from an example before it leaves the
//! comparing thread.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - which requests a shadow copies; which headers its proxy removes: `src/sample.rs`; `src/proxy/hops.rs`,
//!   `src/proxy/forwarded.rs`
//! - what makes requests one client's; who answers them: `src/steer/sticky.rs`; `src/steer.rs`
//! - how a route is named and what is hidden in evidence; a section of the shadow's report:
//!   `src/collector/routes.rs`, `src/hidden.rs`, `src/mirror/example.rs`; `src/layout.rs`
//! - what Prometheus and an orchestrator's probes are told: `src/metrics.rs`, `src/page_server.rs`
//! - how a shadow's socket is opened and handed over: `src/listening.rs`

mod case;
mod collector;
mod copy;
mod descriptors;
mod evidence_file;
mod hidden;
mod html;
mod identifier;
mod in_force;
pub mod lanes;
mod layout;
mod ledger;
pub mod listening;
mod markdown;
mod metrics;
mod mirror;
mod names;
mod network;
mod pacing;
pub mod page_server;
pub mod parts;
mod processor_time;
mod proxy;
mod report;
mod routes;
mod sample;
mod settings;
mod shadow;
mod shares;
mod state;
mod steer;
mod summary;
mod text;

pub use case::case;
pub use hidden::Show;
pub use mirror::{Compare, Share};
pub use report::Report;
pub use routes::Routes;
pub use sample::Sampled;
pub use settings::{Address, Limits};
pub use shadow::{Declared, Lanes, Setup, Shadow, Sides};
pub use state::State;
