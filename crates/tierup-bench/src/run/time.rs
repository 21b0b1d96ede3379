//! How a run keeps to its time. The time includes starting servers, warming them up and stopping them, and what each
//! load takes beyond its length. The more that takes, the shorter the slices become, and finally the fewer.

use std::time::{Duration, Instant};

use tierup_stats::{Progress, share_of_time};

use super::state::{Overhead, Run};
use crate::{
    analysis::{Figure, analyse},
    record::{Loop, Record},
};

/// The least number of blocks, measured however long they take: fewer have no interval.
const LEAST_BLOCKS: usize = 2;

impl Run<'_> {
    /// The time that is left.
    pub(super) fn left(&self) -> Duration {
        self.plan.budget.total.saturating_sub(self.began.elapsed())
    }

    /// When a block that begins now should end: the time left is divided evenly among the remaining blocks.
    pub(super) fn end_of_block(&self, number: usize) -> Instant {
        let blocks = self.plan.budget.blocks.saturating_sub(number).max(1);
        Instant::now() + self.left() / blocks as u32
    }

    /// The time that can still be spent on load in a block that should end at `end`.
    pub(super) fn for_load(&self, end: Instant) -> Duration {
        end.saturating_duration_since(Instant::now()).saturating_sub(self.overhead.stopping)
    }

    /// Whether there is time for the shortest possible block, if starting and stopping takes as long as in the last
    /// one.
    pub(super) fn has_time_for(&self, number: usize) -> bool {
        let Overhead { starting, stopping, .. } = self.overhead;
        let rows = self.plan.rows.len();
        number < LEAST_BLOCKS
            || self.left() >= starting + stopping + self.plan.budget.shortest(rows, self.overhead.of_a_load())
    }
}

/// With two blocks, intervals are too wide to say which rows need time.
const BLOCKS: usize = 3;
/// Each row keeps at least this part of an equal share.
const FLOOR: f64 = 0.6;
/// No row gets more than this many equal shares, as slices of very different lengths see different states of the
/// machine.
const MOST: f64 = 2.0;

/// For each row, the factor by which its slices are longer or shorter than planned; 1 while nothing is known.
pub(super) fn factors(record: &Record, remaining_seconds: f64) -> Vec<f64> {
    let rows = record.rows.len();
    let equal = vec![1.0; rows];
    if record.blocks.len() < BLOCKS {
        return equal;
    }
    let analysis = analyse(record);
    let progress: Vec<Progress> = (0..rows)
        .map(|row| {
            let interval = analysis.cell(row, Figure::Throughput).and_then(|cell| cell.ratio_interval);
            let slices: Vec<f64> = record.slices(row, Loop::Closed).map(|slice| slice.seconds).collect();
            Progress {
                // From the ratio's logarithm, so that a ratio and its inverse have the same width.
                relative_half_width: interval
                    .map(|(low, high)| (high / low).sqrt() - 1.0)
                    .filter(|width| width.is_finite()),
                slices: slices.len() as u32,
                seconds_per_slice: (slices.iter().sum::<f64>() / slices.len().max(1) as f64).max(0.01),
            }
        })
        .collect();
    match share_of_time(&progress, remaining_seconds.max(0.01), FLOOR) {
        Ok(shares) => shares.into_iter().map(|share| (share * rows as f64).min(MOST)).collect(),
        Err(_) => equal,
    }
}
