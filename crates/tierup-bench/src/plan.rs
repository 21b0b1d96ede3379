//! What to measure, and how long.

use std::time::Duration;

use tierup_requests::Set;

use crate::{processors::Processors, record::Role, subject::Subject};

/// Everything that a run needs to know beforehand.
pub struct Plan {
    /// For headings.
    pub title: String,
    /// Shell words that repeat the run.
    pub command: String,
    /// Where the requests come from, for people.
    pub source: String,
    pub requests: Set,
    /// The first one whose role is [`Role::Reference`] sets the rate of the open loop.
    pub rows: Vec<PlannedRow>,
    /// Programs and versions that matter, for the report.
    pub versions: Vec<(String, String)>,
    pub budget: Budget,
    pub connections: usize,
    pub workers: usize,
    /// Requests a second in the open loop; by default [`SHARE_OF_REFERENCE`] of what the reference carries.
    pub rate: Option<f64>,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long a server may take from its start to its first answer.
    pub patience: Duration,
    /// The processors of the servers, and those of the generator.
    pub processors: Option<(Processors, Processors)>,
    pub seed: u64,
    /// See [`crate::record::Settings::threshold`].
    pub threshold: f64,
}

/// "The traffic that you have today": a service that is asked for much more than this of what it can do has queues
/// that grow without bound whenever anything is slow for a moment.
pub const SHARE_OF_REFERENCE: f64 = 0.7;

/// A row to measure.
pub struct PlannedRow {
    pub label: String,
    pub group: String,
    pub role: Role,
    pub step: u8,
    pub subject: Box<dyn Subject>,
}

/// How the time is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// For all blocks together, the check before them left out.
    pub total: Duration,
    pub blocks: usize,
    /// Slices of every row in a block, of each experiment, at the least.
    pub closed_slices: usize,
    pub open_slices: usize,
    /// Whether this is the short form.
    pub quick: bool,
}

/// How long a server rests while others are measured, in seconds: V8 gives up compiled code where nothing was asked for
/// eight (its memory reducer), and compiles anew what comes next. Longer runs have more slices rather than longer ones.
const LONGEST_REST: f64 = 5.0;
/// Shorter ones, and connecting is most of them.
const SHORTEST_SLICE: f64 = 0.25;

impl Default for Budget {
    /// Five minutes.
    fn default() -> Self {
        Budget { total: Duration::from_secs(300), blocks: 5, closed_slices: 3, open_slices: 2, quick: false }
    }
}

impl Budget {
    /// Three blocks: intervals are wide, but the order of things shows.
    pub fn quick() -> Self {
        Budget { total: Duration::from_secs(70), blocks: 3, closed_slices: 2, open_slices: 1, quick: true }
    }

    /// How long the servers of a block can be loaded, given what else it takes to start them.
    pub(crate) fn for_load(&self, starting: Duration) -> Duration {
        let block = self.total / self.blocks.max(1) as u32;
        // Slices end later than planned (answers under way), and servers take a moment to end.
        block.saturating_sub(starting).mul_f64(0.9)
    }

    /// How long to measure a row in each block, given what starting and warming up took in the first one.
    pub(crate) fn lengths(&self, rows: usize, spent: Duration) -> Lengths {
        let row = (self.for_load(spent) / rows.max(1) as u32).as_secs_f64();
        let longest = (LONGEST_REST / (rows.max(2) - 1) as f64).max(SHORTEST_SLICE);
        let slices = |share: f64, least: usize| {
            let count = least.max((row * share / longest).ceil() as usize).max(1);
            (count, Duration::from_secs_f64((row * share / count as f64).max(SHORTEST_SLICE)))
        };
        let (closed_slices, closed) = slices(0.6, self.closed_slices);
        let (open_slices, open) = slices(0.4, self.open_slices);
        Lengths { closed_slices, closed, open_slices, open }
    }
}

/// The planned lengths of loads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths {
    /// How many of each a row gets in a block.
    pub(crate) closed_slices: usize,
    pub(crate) open_slices: usize,
    pub(crate) closed: Duration,
    pub(crate) open: Duration,
}
