//! The rate of the open loop, where the user gave none: most of what the reference carries, so that its latencies are
//! those of a server that keeps up.

use super::{
    Run,
    block::{Entrant, SLICE_PARTS},
};
use crate::{
    analysis::carried,
    load::Pace,
    plan::SHARE_OF_REFERENCE,
    record::{Loop, RateFrom, Slice},
};

/// A server may carry less at a fixed rate than in a closed loop: requests come one by one, where there many are read
/// at once. Then the rate is lowered by this, and tried again.
const LOWER: f64 = 0.8;
const TRIES: u32 = 6;

impl Run<'_> {
    /// Takes the share of what the reference carried in the closed loop, or where it carried nothing, of the slowest
    /// row; then less, until a trial shows that it is carried. Of the trials only failures are counted.
    pub(super) fn settle_rate(&mut self, entrants: &mut [Entrant]) {
        let rows = 0..self.plan.rows.len();
        let slowest = || {
            let carried = rows.filter_map(|row| Some((row, self.closed_throughput(row)?)));
            carried.min_by(|one, other| one.1.total_cmp(&other.1))
        };
        let reference = self.rate_reference().and_then(|row| Some((row, self.closed_throughput(row)?)));
        let Some((row, throughput)) = reference.or_else(slowest) else { return };
        let mut share = SHARE_OF_REFERENCE;
        if let (Some(entrant), Some(lengths)) = (entrants.iter_mut().find(|entrant| entrant.row == row), self.lengths) {
            for _ in 0..TRIES {
                let rate = throughput * share;
                let load = self.load(entrant, Pace::Open { rate }, lengths.open, 0, SLICE_PARTS);
                let Some(slice) = self.measure(entrant, &load) else { break };
                self.current(row).unmeasured_failures += slice.failures;
                if carried(std::iter::once(&slice), Some(rate)) {
                    break;
                }
                share *= LOWER;
            }
        }
        self.record.settings.rate = Some(throughput * share);
        self.record.settings.rate_from = RateFrom::ShareOfReference(share);
    }

    /// Right answers a second so far.
    fn closed_throughput(&self, row: usize) -> Option<f64> {
        let slices: Vec<&Slice> = self.record.slices(row, Loop::Closed).collect();
        let answered: f64 = slices.iter().map(|slice| slice.throughput() * slice.seconds).sum();
        let seconds: f64 = slices.iter().map(|slice| slice.seconds).sum();
        (answered > 0.0).then(|| answered / seconds)
    }
}
