//! The judge's program: reads evidence, decides, and puts weights into force.
//!
//! In: a state folder, which proxies fill with evidence, and the plan of a ramp. Out: the control file that proxies obey,
//! a journal of decisions, and a database from which a judge that was killed goes on.
//!
//! # How a ramp decides
//!
//! `tierup ramp` is another program, which shares only files with the proxies. `Door` (`src/ramp/begin.rs`) opens the
//! state folder. Each second, `judging.rs` calls `Ramp::round` (`src/ramp.rs`), which reads what the proxies and load
//! balancers saw (`ramp/reading.rs`), puts slots of the same time together (`intake.rs`), lets the `Judge` of
//! `tierup-rollout` decide (`ramp/deciding.rs`), stores what it knows (`known.rs`, `store.rs`), and then puts the
//! decision into force (`ramp/acting.rs`) through an `Actuator`: the control file, HAProxy, nginx or Envoy (`actuator.rs`). An
//! actuator also says when it does not see all answers; then nothing rises, and after a minute control answers all.
//! `crates/tierup-rollout/src/judge.rs` is the judge's state machine; `judge/suspicion.rs`, `judge/mismatches.rs` and
//! `judge/slowness.rs` are the kinds of evidence, `judge/load.rs` says which times can be compared, `judge/step.rs`
//! what an advance needs. docs/judge.md explains the method, docs/rollout.md the way for users.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - a new load balancer: an `Actuator` in `src/actuator/`, and its key in `crates/tierup-project/src/rollout/through.rs`
//! - a store other than the state folder: `src/store.rs` is the judge's seam, `src/postgres.rs` the one in Postgres;
//!   `src/postgres/courier.rs` is its proxy's side
//! - what others hear of a ramp: `src/notify.rs`, `src/ramp/metrics.rs`
//! - an order to a running judge: `src/command.rs`, `src/ramp/operator.rs`, `crates/tierup/src/commands/ramp.rs`
//! - the files that proxies and judge share: `src/state.rs`, `crates/tierup-rollout/src/files.rs`; their contents:
//!   `crates/tierup-rollout/src/control.rs`, `crates/tierup-rollout/src/evidence.rs`

mod action;
mod actuator;
mod clock;
mod command;
mod error;
mod evidence_files;
mod intake;
mod journal;
mod judging;
mod known;
mod notify;
mod postgres;
mod ramp;
mod socket;
mod state;
mod store;
mod stored;
mod trouble;
mod unjudged;
mod verdict;

pub use action::{Action, NoAction};
pub use actuator::{Actuator, Behind, Envoy, HaProxy, Nginx, Observed, Own, Piece, actuator, replace};
pub use clock::{Clock, Machine};
pub use command::{Advice, Command, NoCommand, Reply, Status};
pub use error::{Error, Result};
pub use journal::{Journal, decisions};
pub use judging::{Attendant, LOOK, ROUND, judge};
pub use notify::{Notifier, Told};
pub use postgres::{Courier, Database, Lease, SCHEMA};
pub use ramp::{Door, Options, Ramp, Round};
pub use socket::{Listener, PendingCommand, ask};
pub use state::{Held, State};
pub use stored::Decided;
pub use tierup_rollout::files::Keeping;
pub use unjudged::Unjudged;
pub use verdict::{Promised, Shown, Verdict};
