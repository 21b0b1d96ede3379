//! How a run keeps to its time. That includes starting servers, warming them up and ending them, and what each load takes
//! beyond its length: the more this takes, the shorter the slices, and in the end the fewer.

use std::time::{Duration, Instant};

use super::{overhead::Overhead, state::Run};

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
