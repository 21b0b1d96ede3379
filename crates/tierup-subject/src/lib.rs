//! The server under test: started or standing, asked, observed and stopped, with a recorder in the place of the service
//! that it calls.
//!
//! - A [`Subject`] starts a server and gives a [`Running`] one. [`Started`] is a command, [`Standing`] an address.
//!   [`wait_until_it_answers`] waits for the first answer.
//! - One HTTP/1.1 client asks: a [`Connection`] sends a [`Prepared`] request and hands over an [`Arriving`] answer, which
//!   is read whole or frame by frame. [`ask`] keeps the answers to many requests; [`observe`] also keeps why one did not
//!   come, as a [`Silence`](tierup_parity::Silence).
//! - A [`Session`] asks a server everything, starts it again where it ends, and keeps the calls that it makes to a
//!   [`Downstream`]. [`race`] tells a missing answer that is a failure from one that is a race.
//! - While clients are served, a [`Relay`] passes the calls of one server on to the real service and records them, and a
//!   [`Double`] answers another's calls from that record.
//! - [`ServerProcesses`] counts what the server costs.
//!
//! It works with any server that anybody wrote, and knows nothing of tiers.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - what a missing answer means: which error becomes which `Silence`: `src/exchange.rs` and `src/answer.rs`; whether
//!   it is a failure: `src/race.rs`; how often it is asked again: `src/observe.rs`
//! - how a copy's calls to other services are answered: `src/downstream/double.rs`

mod answer;
mod ask;
mod connection;
mod downstream;
mod exchange;
mod keeping;
mod observe;
pub mod open_files;
mod passing;
mod prepared;
mod processes;
pub mod processors;
mod race;
mod ready;
mod request_body;
mod session;
mod standing;
mod started;
mod subject;

pub use answer::{Answer, Arriving, BODY_LIMIT};
pub use ask::{KEPT_LIMIT, Questions, Unanswered, ask};
pub use connection::Connection;
pub use downstream::{
    Attribution, Behaviour, Calls, Case, Double, Downstream, KeyWatch, Made, Passage, RealService, RealServiceError,
    Record, Recorded, RecordedAnswer, Relay, Service,
};
pub use keeping::Keeping;
pub use observe::{Ask, Asking, observe};
pub use passing::{Notes, Passing};
pub use prepared::{InvalidRequest, Prepared, prepare};
pub use processes::{MemorySample, ProcessesCpu, ServerProcesses, ThreadCpu, cpu_of, name_of, parent_of, threads_of};
pub use race::{race, settled};
pub use ready::{Readiness, trouble_of, wait_until_it_answers, words};
pub use request_body::RequestBody;
pub use session::{Error, Pass, Session, Watch};
pub use standing::{Standing, Unreachable};
pub use started::Started;
pub use subject::{Running, Starting, Subject, Trouble};
pub use tierup_parity::{Framing, Silence};
