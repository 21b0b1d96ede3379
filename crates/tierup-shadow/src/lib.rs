//! A proxy in front of two servers that should answer alike. Control answers every client; a candidate gets copies of
//! some requests, after control has answered them.
//!
//! In: [`Settings`], and a socket that listens. Out: each request passed on to control and its answer to the client
//! ([`Proxy`]); for those that [`Sampled`] chooses, a [`Copied`]; and of the candidate's answers to these ([`Mirror`])
//! the lines of evidence that a [`Ledger`] writes, from which a [`Report`] is made. Nothing that happens to a copy can reach
//! a client: it is sent by another thread, and what does not fit is dropped and counted.
//!
//! It speaks HTTP/1.1 (RFC 9110, RFC 9112) on both sides. HTTP/2 and TLS belong to a proxy before this one.
//!
//! # How a request goes through a shadow
//!
//! `crates/tierup-rows/src/shadow.rs` puts a project's shadow together, and `sides.rs` there starts its servers.
//! `tierup shadow` then starts a `Proxy` (`src/proxy.rs`): threads with a runtime and connections of their own
//! (`proxy/worker.rs`), on a socket that `listening.rs` opens or takes over. `descriptors.rs` divides the limit of
//! open files. `proxy/client.rs` is a client's connection, `proxy/places.rs` knows which one is closed when a new client
//! finds no place, and `proxy/exchange.rs` is one request: `refusal.rs` refuses what two servers could read differently,
//! `hops.rs` and `forwarded.rs` rewrite headers, `sides.rs` sends it to the server that `steer.rs` chose and falls back
//! to control, `upstream.rs` keeps connections to a server, `live.rs` knows whether it can be reached,
//! `request_body.rs` and `response_body.rs` pass the bodies on, and `account.rs` counts how it ended.
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
//! - what Prometheus and an orchestrator's probes are told: `src/metrics.rs`, `src/metrics_server.rs`
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
mod lanes;
mod layout;
mod ledger;
mod listening;
mod markdown;
mod metrics;
mod metrics_server;
mod mirror;
mod names;
mod network;
mod pacing;
mod processor_time;
mod proxy;
mod report;
mod routes;
mod sample;
mod settings;
mod shares;
mod state;
mod steer;
mod summary;
mod text;

pub use case::case;
pub use collector::{Answered, Collector, Compared, Connections, Counter, Note, Outcome, Regime, Route, Took};
pub use copy::{Copied, Copies, MEMORY, NotCopied, Sample};
pub use descriptors::Descriptors;
pub use evidence_file::EvidenceFile;
pub use hidden::{Hidden, Show};
pub use in_force::{Assigned, InForce, Mirrored};
pub use lanes::{ControlLanes, Doubles, Rules};
pub use ledger::{Ledger, Processor};
pub use listening::{Port, bind, handed_over};
pub use metrics_server::{Health, MetricsServer, Page, pages};
pub use mirror::{Candidate, Compare, Mirror, Share, ShareError};
pub use pacing::Pacing;
pub use processor_time::processor_time;
pub use proxy::Proxy;
pub use report::{Decision, Report, Step};
pub use routes::Routes;
pub use sample::{Effects, Safe, Sampled};
pub use settings::{Address, AddressError, Limits, Settings, Sharing};
pub use state::State;
pub use steer::Steering;
pub use summary::Change;
