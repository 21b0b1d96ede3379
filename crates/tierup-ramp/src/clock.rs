//! The two clocks of a judge: one that people can set, and a steady one.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub trait Clock: Send {
    /// The time since 1970 by the machine's clock, which may jump in both directions. Heartbeats and the journal use
    /// it; no decision depends on it.
    fn since_1970(&self) -> Duration;

    /// The time since some fixed moment. It never jumps.
    fn steady(&self) -> Duration;
}

/// The machine's clocks.
#[derive(Debug)]
pub struct Machine(Instant);

impl Default for Machine {
    fn default() -> Machine {
        Machine(Instant::now())
    }
}

impl Clock for Machine {
    fn since_1970(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn steady(&self) -> Duration {
        self.0.elapsed()
    }
}
