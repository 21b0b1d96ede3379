//! How much longer a run takes, as far as one knows.

use std::time::Duration;

use super::Run;
use crate::record::Loop;

impl Run<'_> {
    /// What is left when a block begins.
    pub(super) fn left(&self, number: usize) -> Duration {
        self.a_block(number) * (self.plan.budget.blocks - number) as u32
    }

    /// What is left when a round of a block begins.
    pub(super) fn left_within(&self, block: usize, experiment: Loop, round: usize, rows: usize) -> Duration {
        let (budget, Some(lengths)) = (self.plan.budget, self.lengths) else { return Duration::ZERO };
        let (closed, open) = match experiment {
            Loop::Closed => (lengths.closed_slices - round, lengths.open_slices),
            Loop::Open => (0, lengths.open_slices - round),
        };
        let here = (lengths.closed * closed as u32 + lengths.open * open as u32) * rows as u32;
        here + self.a_block(block) * (budget.blocks - block - 1) as u32
    }

    /// How long a block takes, as far as one knows after so many.
    fn a_block(&self, finished: usize) -> Duration {
        match finished {
            0 => self.plan.budget.total / self.plan.budget.blocks as u32,
            _ => self.began.elapsed() / (finished as u32).max(1),
        }
    }
}
