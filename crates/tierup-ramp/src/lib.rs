//! The judge's program: reads evidence, decides, and puts weights into force.
//!
//! In: a state folder, which proxies fill with evidence, and the plan of a ramp. Out: the control file that proxies obey,
//! a journal of decisions, and a database from which a judge that was killed goes on.

mod action;
mod clock;
mod command;
mod error;
mod evidence_files;
mod intake;
mod journal;
mod judging;
mod ramp;
mod socket;
mod state;
mod store;
mod unjudged;
mod verdict;

pub use action::{Action, NoAction};
pub use clock::{Clock, Machine};
pub use command::{Command, NoCommand, Reply, Status};
pub use error::{Error, Result};
pub use journal::decisions;
pub use judging::{Attendant, LOOK, ROUND, judge};
pub use ramp::{Door, Options, Ramp, Round};
pub use socket::{Asked, Listener, ask};
pub use state::{Held, State};
pub use store::Decided;
pub use tierup_rollout::files::Keeping;
pub use unjudged::Unjudged;
pub use verdict::{Promised, Shown, Verdict};
