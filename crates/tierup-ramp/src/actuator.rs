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
mod slots;

use std::{fmt, path::PathBuf};

use tierup_rollout::{Control, Sticky, Through, Weights, evidence::Entry};

use crate::{Error, Result};

pub use behind::Behind;
pub use control_file::replace;
pub use haproxy::HaProxy;
pub use nginx::Nginx;
pub use own::Own;
pub(crate) use slots::EVERY_ROUTE;

/// The proxy that shares requests between control, candidate and twin.
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

/// A text, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// `the file /etc/haproxy/tierup.map`, `haproxy.cfg, section frontend`.
    pub place: String,
    pub text: String,
}

/// The place as a comment, then the text.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# {}\n{}", self.place, self.text)
    }
}

/// Names become words of a configuration: other characters could end one.
///
/// # Errors
/// A name with other characters than letters, digits, `_` and, where `hyphens` may be part of one, `-`.
pub(crate) fn check_sticky(sticky: &Sticky, program: &'static str, hyphens: bool) -> Result<()> {
    let (kind, name) = match sticky {
        Sticky::Cookie(name) => ("cookie", name),
        Sticky::Header(name) => ("header", name),
        Sticky::Address => return Ok(()),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c == '-' && hyphens);
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(());
    }
    let also = if hyphens { " and hyphens" } else { "" };
    let what = format!("the {kind} `{name}` cannot be named in its configuration");
    let hint = format!("choose one of letters, digits, underscores{also}");
    Err(Error::NotSetUp { program, what, hint })
}

/// The actuator of the proxy that shares the requests. `control_file` is that of tierup's own proxies.
///
/// # Errors
/// A name or path that cannot stand in the load balancer's configuration.
pub fn actuator(through: Through, control_file: PathBuf) -> Result<Box<dyn Actuator>> {
    let proxies = Own::new(control_file);
    let balancer: Box<dyn Actuator> = match through {
        Through::Tierup => return Ok(Box::new(proxies)),
        Through::HaProxy(settings) => Box::new(HaProxy::new(settings)?),
        Through::Nginx(settings) => Box::new(Nginx::new(settings)?),
    };
    Ok(Box::new(Behind::new(balancer, proxies)))
}
