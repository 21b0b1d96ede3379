//! The two clocks of a judge: one that people set, and one that nobody can.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What time it is.
pub trait Clock: Send {
    /// Since 1970, as far as the machine knows. It may jump in both directions: heartbeats and journals have it, and no
    /// decision depends on it.
    fn since_1970(&self) -> Duration;

    /// Since some moment before. It never jumps.
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
