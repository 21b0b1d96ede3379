//! Time in each block. In: times to add. Out: their sums, and their share of everything.

use crate::share::Share;

#[derive(Debug, Clone)]
pub(super) struct Sums(Vec<f64>);

impl Sums {
    pub(super) fn new(blocks: usize) -> Sums {
        Sums(vec![0.0; blocks])
    }

    pub(super) fn add(&mut self, times: &[f64]) {
        self.0.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }

    pub(super) fn blocks(&self) -> &[f64] {
        &self.0
    }

    pub(super) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    pub(super) fn share(&self, whole: &[f64]) -> Share {
        Share::of(&self.0, whole)
    }
}
