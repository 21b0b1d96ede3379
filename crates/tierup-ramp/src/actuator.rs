//! Puts a ramp's weights into force, and counts what happens under them.
//!
//! In: what the judge decided, as a [`Control`]. Out: weights in force at whoever shares the requests between the servers
//! (tierup's own proxy, HAProxy or nginx), and
//! [entries](Entry) of evidence where that program counts its answers itself.

mod answer;
mod behind;
mod control_file;
#[cfg(test)]
mod fixtures;
mod haproxy;
mod nginx;
mod own;
mod piece;
mod slots;
mod sticky;
mod through;

use tierup_rollout::{Control, Weights, evidence::Entry};

use crate::{Error, Result};

pub use behind::Behind;
pub use haproxy::HaProxy;
pub use nginx::Nginx;
pub use own::Own;
pub use piece::Piece;
pub(crate) use slots::EVERY_ROUTE;
pub use through::actuator;

/// Whoever shares requests between control, candidate and twin.
///
/// Every method may wait for a file, a socket or a program, for a minute at most.
pub trait Actuator: Send {
    /// `haproxy`.
    fn name(&self) -> &'static str;

    /// What the operator adds to the program's configuration before the ramp.
    fn describe(&self) -> Vec<Piece>;

    /// Whether the program runs with that configuration.
    ///
    /// # Errors
    /// It does not run, or its configuration lacks something.
    fn check(&mut self) -> Result<()>;

    /// Puts the weights into force. The judge calls it at every heartbeat, with the same weights too: a program that was
    /// restarted has forgotten them, and one that hears nothing more gives all requests back to control.
    ///
    /// # Errors
    /// It is not certain that the weights are in force. Those before them may be, and some requests may be under either.
    fn set(&mut self, control: &Control) -> Result<()>;

    /// The weights in force at this time, in seconds since 1970.
    ///
    /// # Errors
    /// The program does not tell.
    fn read(&mut self, now: u64) -> Result<Weights>;

    /// Whether [`observe`](Actuator::observe) counts the answers that clients get. If so, those that proxies count are some
    /// of the same.
    fn counts_answers(&self) -> bool;

    /// What happened since the last call. Call it every second. Programs that write evidence files themselves tell nothing here.
    fn observe(&mut self) -> Observed;

    /// Lets control answer every request. Where it can, it works on a full disk, too.
    ///
    /// # Errors
    /// It is not certain that it does. The weights in force end by themselves, unless they are set again.
    fn release(&mut self) -> Result<()>;
}

/// What an actuator saw.
#[derive(Debug, Default)]
pub struct Observed {
    /// Events, and slots of about [`SLOT`](tierup_rollout::evidence::SLOT) seconds. A slot of which too little is known is not
    /// among them.
    pub entries: Vec<Entry>,
    /// Why the answers of this time are not known. Nothing may be concluded from bad answers that did not show.
    pub blind: Option<Error>,
    /// Where it is blind: perhaps there was nothing to see, as the program counts requests of others too.
    pub may_be_quiet: bool,
}
