//! What a run has learned about the time that is not load.

use std::time::Duration;

/// Time beyond that of loads, as measured so far.
#[derive(Debug, Default)]
pub(super) struct Overhead {
    loads: u32,
    beyond: Duration,
    /// What it took to start the servers of the last block, and to end them.
    pub(super) starting: Duration,
    pub(super) stopping: Duration,
}

impl Overhead {
    /// Adds one load, with the time that it took and its planned length.
    pub(super) fn add_load(&mut self, took: Duration, planned: Duration) {
        self.loads += 1;
        self.beyond += took.saturating_sub(planned);
    }

    /// Adds other work after a load.
    pub(super) fn add(&mut self, took: Duration) {
        self.beyond += took;
    }

    /// What a load takes beyond its length: connecting, answers that are under way at its end, counting, reports.
    pub(super) fn of_a_load(&self) -> Duration {
        self.beyond / self.loads.max(1)
    }
}
