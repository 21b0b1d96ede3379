//! How a run keeps to its time. That includes starting servers, warming them up and ending them, and what each load takes
//! beyond its length: the more this takes, the shorter the slices, and in the end the fewer.

use std::time::{Duration, Instant};

use tierup_stats::{Progress, share_of_time};

use super::state::{Overhead, Run};
use crate::{
    analysis::{Figure, analyse},
    record::{Loop, Record},
};

/// So many blocks are measured whatever they take: fewer have no interval.
const LEAST_BLOCKS: usize = 2;

impl Run<'_> {
    /// What is left of the time. It never grows.
    pub(super) fn left(&self) -> Duration {
        self.plan.budget.total.saturating_sub(self.began.elapsed())
    }

    /// When a block that begins now should end: what is left is shared out evenly among those to come.
    pub(super) fn end_of_block(&self, number: usize) -> Instant {
        let blocks = self.plan.budget.blocks.saturating_sub(number).max(1);
        Instant::now() + self.left() / blocks as u32
    }

    /// What can still be spent on load in a block that should end then.
    pub(super) fn for_load(&self, end: Instant) -> Duration {
        end.saturating_duration_since(Instant::now()).saturating_sub(self.overhead.stopping)
    }

    /// Whether there is time for the shortest block that there is, by what the last one took to start and to end.
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
/// No row gets more than this many equal shares: slices of very different lengths do not meet the same machine.
const MOST: f64 = 2.0;

/// For each row, the factor by which its slices are longer or shorter than planned; all 1 while nothing is known.
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
                // Of the ratio's logarithm, so that a ratio and its inverse count alike.
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
