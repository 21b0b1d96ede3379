//! Puts a ramp's weights into force, and counts the answers under them.
//!
//! In: the judge's decision, as a [`Control`]. Out: weights in force at the program that shares requests between the
//! servers (tierup's own proxy, HAProxy, nginx or Envoy); and [entries](Entry) of evidence, if that program counts its answers
//! itself.

mod answer;
mod behind;
mod control_file;
mod envoy;
#[cfg(test)]
mod fixtures;
mod followed;
mod haproxy;
mod http;
mod nginx;
mod own;
mod slots;
mod tally;

use std::{fmt, path::Path};

use tierup_rollout::{Control, Sticky, Through, Weights, evidence::Entry};

use crate::{Error, Result};

pub use behind::Behind;
pub use control_file::replace;
pub use envoy::Envoy;
pub use haproxy::HaProxy;
pub use nginx::Nginx;
pub use own::Own;
pub(crate) use slots::EVERY_ROUTE;

/// The program that shares requests between control, candidate and twin.
///
/// Every method may wait for a file, a socket or a program, for at most a minute.
pub trait Actuator: Send {
    /// The program's name, such as `haproxy`.
    fn name(&self) -> &'static str;

    /// What the operator adds to the program's configuration before the ramp: nothing for tierup's own proxies.
    fn describe(&self) -> Vec<Piece> {
        Vec::new()
    }

    /// Checks that the program runs with that configuration. tierup's own proxies may start after the ramp, and running
    /// ones show in the evidence.
    ///
    /// # Errors
    /// If it does not run, or its configuration lacks something.
    fn check(&mut self) -> Result<()> {
        Ok(())
    }

    /// Puts the weights into force. The judge calls it at every heartbeat, even with the same weights: a restarted
    /// program has forgotten them, and without heartbeats it gives all requests back to control.
    ///
    /// # Errors
    /// If it is uncertain whether the weights are in force; some requests may still be under the earlier ones.
    fn set(&mut self, control: &Control) -> Result<()>;

    /// The weights in force at `now`, in seconds since 1970.
    ///
    /// # Errors
    /// If the program does not report them.
    fn read(&mut self, now: u64) -> Result<Weights>;

    /// Whether [`observe`](Actuator::observe) counts the answers to clients. If so, the proxies count some of the same
    /// answers.
    fn counts_answers(&self) -> bool {
        false
    }

    /// What happened since the last call; call it every second. It is empty if the program writes evidence files.
    fn observe(&mut self) -> Observed {
        Observed::default()
    }

    /// Lets control answer every request. If possible, this works on a full disk, too.
    ///
    /// # Errors
    /// If it is uncertain. The weights in force end by themselves, unless they are set again.
    fn release(&mut self) -> Result<()>;
}

/// What an actuator saw.
#[derive(Debug, Default)]
pub struct Observed {
    /// Events, and slots of about [`SLOT`](tierup_rollout::evidence::SLOT) seconds. Slots of which too little is known
    /// are left out.
    pub entries: Vec<Entry>,
    /// Why the answers of this time are unknown. Then a lack of bad answers proves nothing.
    pub blind: Option<Error>,
    /// With `blind`: perhaps no client sent shared requests, as the program counts other requests, too.
    pub may_be_quiet: bool,
}

/// A text, and the place where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// For example `the file /etc/haproxy/tierup.map` or `haproxy.cfg, section frontend`.
    pub place: String,
    pub text: String,
}

/// The place as a comment, then the text.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "# {}\n{}", self.place, self.text)
    }
}

/// Checks a name that becomes a word of a configuration, which other characters could end.
///
/// # Errors
/// If it has characters other than letters, digits, `_` and, if `hyphens`, `-`.
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

/// The load balancer's own configuration lacks something.
pub(crate) fn lacks(program: &'static str, what: String) -> Error {
    let hint = "`tierup ramp --show-config` prints what its configuration needs".to_owned();
    Error::NotSetUp { program, what, hint }
}

/// The load balancer's answer to a command was not as expected.
pub(crate) fn refused(program: &'static str, command: &'static str, answer: &str) -> Error {
    let line = answer.trim().lines().next().unwrap_or_default();
    Error::Refused { program, command, answer: line.chars().take(200).flat_map(char::escape_debug).collect() }
}

/// Checks a path that stands in a configuration.
///
/// # Errors
/// If it is not absolute, or has other characters than letters, digits, `/`, `.`, `_` and `-`.
pub(crate) fn check_path(path: &Path, program: &'static str) -> Result<()> {
    let text = path.to_str().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if path.is_absolute() && text.chars().all(fits) {
        return Ok(());
    }
    let what = format!("the path `{}` cannot stand in its configuration", path.display());
    let hint = "give an absolute path of letters, digits, `/`, `.`, `_` and `-`".to_owned();
    Err(Error::NotSetUp { program, what, hint })
}

/// The actuator for the program that shares the requests. `proxies` are tierup's own.
///
/// # Errors
/// If a name or path cannot stand in the load balancer's configuration.
pub fn actuator(through: Through, proxies: Box<dyn Actuator>) -> Result<Box<dyn Actuator>> {
    let balancer: Box<dyn Actuator> = match through {
        Through::Tierup => return Ok(proxies),
        Through::HaProxy(settings) => Box::new(HaProxy::new(settings)?),
        Through::Nginx(settings) => Box::new(Nginx::new(settings)?),
        Through::Envoy(settings) => Box::new(Envoy::new(settings)?),
    };
    Ok(Box::new(Behind::new(balancer, proxies)))
}
