//! A proxy in front of two servers that should answer alike. Control answers every client; a candidate gets copies of
//! some requests, after control has answered them.
//!
//! In: [`Settings`], and a socket that listens. Out: each request passed on to control and its answer to the client
//! ([`Proxy`]); for those that [`Sampled`] chooses, a [`Copied`]; and of the candidate's answers to these ([`Mirror`])
//! the lines of evidence that a [`Ledger`] writes, from which a [`Report`] is made. Nothing that happens to a copy can reach
//! a client: it is sent by another thread, and what does not fit is dropped and counted.
//!
//! It speaks HTTP/1.1 (RFC 9110, RFC 9112) on both sides. HTTP/2 and TLS belong to a proxy before this one.

mod case;
mod collector;
mod copy;
mod descriptors;
mod evidence_file;
mod hidden;
mod html;
mod identifier;
mod in_force;
mod json;
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
mod state;
mod steer;
mod summary;
mod text;

pub use case::case;
pub use collector::{Answered, Collector, Compared, Counter, Note, Outcome, Regime, Route, Took};
pub use copy::{ClientAnswer, Copied, Copies, NotCopied, Sample};
pub use descriptors::Descriptors;
pub use evidence_file::EvidenceFile;
pub use hidden::Hidden;
pub use in_force::{Assigned, InForce, Mirrored};
pub use lanes::{ControlLanes, Doubles, Rules};
pub use ledger::{Ledger, Processor, View};
pub use listening::{Port, bind, handed_over};
pub use metrics_server::MetricsServer;
pub use mirror::{Candidate, Compare, Mirror, Share, ShareError};
pub use pacing::Pacing;
pub use processor_time::processor_time;
pub use proxy::Proxy;
pub use report::{Compared as ComparedCopies, Coverage, Decision, Example, Report, RouteReport, SideReport, Step};
pub use routes::{RouteError, Routes};
pub use sample::{Effects, Sampled, SampledError};
pub use settings::{Address, AddressError, Limits, Settings, Sharing};
pub use state::State;
pub use steer::Steering;
pub use summary::{Change, CopySums, LiveSums, RouteSums, SideSums, Summary};
