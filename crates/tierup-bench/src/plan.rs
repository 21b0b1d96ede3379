//! The plan of a run of servers: rows, requests, and how the time is spent.

use std::time::Duration;

use tierup_requests::Set;
use tierup_subject::{Subject, processors::Processors};

use crate::record::{Cost, Heading, Reuse, RowRecord};

/// Everything that a run needs to know beforehand.
pub struct Plan {
    pub heading: Heading,
    /// Where the requests come from, for people.
    pub source: String,
    pub requests: Set,
    /// The first row with the role [`Role::Reference`](crate::record::Role::Reference) sets the rate of the open loop.
    pub rows: Vec<PlannedRow>,
    pub budget: Budget,
    pub connections: usize,
    pub workers: usize,
    /// Requests per second in the open loop; by default [`SHARE_OF_REFERENCE`] of what the reference carries.
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
    /// See [`crate::record::Settings::step_cores`].
    pub step_cores: f64,
    /// Prices, for the report.
    pub cost: Option<Cost>,
}

/// The share that stands for the user's present traffic. At a much higher share of its capacity, a service's queues
/// grow without bound whenever anything is slow for a moment.
pub const SHARE_OF_REFERENCE: f64 = 0.7;

/// A row to measure.
pub struct PlannedRow {
    pub row: RowRecord,
    pub subject: Box<dyn Subject>,
    /// Reads how often the last started server answered calls from memory, if it reports that.
    pub reuse: Option<Box<dyn Fn() -> Reuse>>,
}

/// How the time is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The time for all blocks together, without the check before them.
    pub total: Duration,
    pub blocks: usize,
    /// The least number of slices of every row in a block, for each experiment.
    pub closed_slices: usize,
    pub open_slices: usize,
    /// Whether this is the short form.
    pub quick: bool,
}

/// The longest time in seconds that a server rests while others are measured: after eight idle seconds, V8's memory
/// reducer discards compiled code, which is then compiled again. So longer runs have more slices rather than longer
/// ones.
const LONGEST_REST: f64 = 5.0;
/// The shortest slice in seconds. In a shorter one, connecting would take most of the time.
const SHORTEST_SLICE: f64 = 0.25;

impl Default for Budget {
    /// Five minutes.
    fn default() -> Self {
        Budget { total: Duration::from_secs(300), blocks: 5, closed_slices: 3, open_slices: 2, quick: false }
    }
}

impl Budget {
    /// Three blocks: intervals are wide, but the order of rows shows.
    pub fn quick() -> Self {
        Budget { total: Duration::from_secs(70), blocks: 3, closed_slices: 2, open_slices: 1, quick: true }
    }

    /// How long to measure each of `rows` rows in a block with this `time`, if each load takes `over` beyond its
    /// planned length.
    pub(crate) fn lengths(&self, rows: usize, time: Duration, over: Duration) -> Lengths {
        let over = over.as_secs_f64();
        let row = time.as_secs_f64() / rows.max(1) as f64;
        let longest = (LONGEST_REST / (rows.max(2) - 1) as f64).max(SHORTEST_SLICE);
        let (closed_least, open_least) = self.fewest(row, over);
        let shortest = |slices: usize| slices as f64 * (SHORTEST_SLICE + over);
        // The time that is left once each row has its shortest slices.
        let spare = (row - shortest(closed_least + open_least)).max(0.0);
        let slices = |share: f64, least: usize| {
            let seconds = shortest(least) + spare * share;
            let (wanted, most) = (seconds / (longest + over), seconds / (SHORTEST_SLICE + over) + 1e-9);
            let count = least.max(wanted.ceil().min(most.floor()) as usize);
            (count, Duration::from_secs_f64((seconds / count as f64 - over).max(SHORTEST_SLICE)))
        };
        let (closed_slices, closed) = slices(0.6, closed_least);
        let (open_slices, open) = slices(0.4, open_least);
        Lengths { closed_slices, closed, open_slices, open }
    }

    /// The wanted number of slices of each experiment, or as many of the shortest ones as fit into these seconds.
    fn fewest(&self, seconds: f64, over: f64) -> (usize, usize) {
        let (mut closed, mut open) = (self.closed_slices.max(1), self.open_slices.max(1));
        while closed + open > 2 && (closed + open) as f64 * (SHORTEST_SLICE + over) > seconds {
            if closed > open { closed -= 1 } else { open -= 1 }
        }
        (closed, open)
    }

    /// The least time to load `rows` rows in a block: once to warm up, and once in each experiment.
    pub(crate) fn shortest(&self, rows: usize, over: Duration) -> Duration {
        (Duration::from_secs_f64(SHORTEST_SLICE) + over) * 3 * rows as u32
    }
}

/// The planned lengths of loads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lengths {
    /// How many slices of each experiment a row gets in a block.
    pub(crate) closed_slices: usize,
    pub(crate) open_slices: usize,
    pub(crate) closed: Duration,
    pub(crate) open: Duration,
}

impl Lengths {
    /// The lengths if the open loop has to be measured again in the time left of the block.
    pub(crate) fn with_open_again(self, rows: usize, time: Duration, over: Duration) -> Lengths {
        let slices = (rows * self.open_slices).max(1);
        let fits = (time / slices as u32).saturating_sub(over);
        Lengths { open: fits.max(Duration::from_secs_f64(SHORTEST_SLICE)).min(self.open), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVER: Duration = Duration::from_millis(150);

    /// The time that all slices of a block take.
    fn taken(rows: usize, lengths: Lengths) -> Duration {
        let row =
            (lengths.closed + OVER) * lengths.closed_slices as u32 + (lengths.open + OVER) * lengths.open_slices as u32;
        row * rows as u32
    }

    #[test]
    fn slices_fit_into_the_time_with_what_they_take_beyond_their_length() {
        for rows in [1, 2, 7, 25, 60] {
            for seconds in [60, 120, 600] {
                let time = Duration::from_secs(seconds);
                let lengths = Budget::default().lengths(rows, time, OVER);
                assert!(taken(rows, lengths) <= time.mul_f64(1.001), "{rows} rows in {seconds} s: {lengths:?}");
                assert!(taken(rows, lengths) >= time.mul_f64(0.8), "{rows} rows in {seconds} s: {lengths:?}");
            }
        }
    }

    #[test]
    fn slices_become_fewer_before_they_become_too_short() {
        let counts = |seconds: u64| {
            let lengths = Budget::default().lengths(25, Duration::from_secs(seconds), OVER);
            (lengths.closed_slices, lengths.open_slices)
        };
        assert_eq!([51, 41, 31, 21, 1].map(counts), [(3, 2), (2, 2), (2, 1), (1, 1), (1, 1)]);
    }

    #[test]
    fn slices_that_are_measured_again_are_not_longer_than_before() {
        let lengths = Budget::default().lengths(5, Duration::from_secs(60), OVER);
        assert_eq!(lengths.with_open_again(5, Duration::from_secs(60), OVER), lengths);
        let late = lengths.with_open_again(5, Duration::ZERO, OVER);
        assert_eq!((late.open, late.closed), (Duration::from_millis(250), lengths.closed));
    }
}
