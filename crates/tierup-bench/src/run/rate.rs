//! The rate of the open loop if the user gave none: most of what the reference carries, so that its latencies are those
//! of a server that keeps up, from the first block to the last.
//!
//! One rate holds for all rows and blocks. If the reference falls behind nevertheless, such as on a machine that others
//! use too, the rate is lowered for all of them, and slices at the higher rate are kept separately.

use super::state::{Entrant, Run, SLICE_PARTS};
use crate::{
    analysis::carried,
    load::Pace,
    plan::SHARE_OF_REFERENCE,
    record::{Loop, RateFrom, Slice},
};

/// The rate is at most this share of what the reference carried in its worst slice.
const OF_WORST: f64 = 0.8;
/// If other programs use at least this share of the machine, the rate is lowered by the share that they use, as they
/// may use it at any time.
const OTHERS: f64 = 0.1;
/// The factor by which the rate is lowered if the reference does not carry it. A server may carry less at a fixed rate
/// than in a closed loop, as requests arrive one by one instead of many at once; and less while others use the machine.
const LOWER: f64 = 0.8;
/// The rate is never below this share of the reference's median throughput, as latencies of an almost idle server say
/// little about a busy one. If the reference does not carry even that, the machine is too noisy.
const LEAST: f64 = 0.4;

impl Run<'_> {
    /// Takes the share of the reference's throughput in the closed loop, or of the slowest row's if the reference has
    /// none; then less, until a trial shows that the rate is carried. Only the failures of trials are recorded.
    pub(super) fn settle_rate(&mut self, entrants: &mut [Entrant]) {
        let rows = 0..self.plan.rows.len();
        let slowest = || {
            let carried = rows.filter_map(|row| Some((row, self.closed_throughput(row)?)));
            carried.min_by(|one, other| one.1.median.total_cmp(&other.1.median))
        };
        let reference = self.rate_reference().and_then(|row| Some((row, self.closed_throughput(row)?)));
        let Some((row, throughput)) = reference.or_else(slowest) else { return };
        self.rate_row = Some(row);
        let rate = throughput.median * throughput.share();
        let rate = match entrants.iter_mut().find(|entrant| entrant.row == row) {
            Some(entrant) => self.carried_rate(entrant, rate, throughput.median),
            None => rate,
        };
        self.set_rate(rate, throughput.median);
    }

    /// Lowers the rate if the row that sets it does not carry it in this block, and returns whether it did.
    pub(super) fn had_to_lower_the_rate(&mut self, entrant: &mut Entrant) -> bool {
        let (row, settings) = (entrant.row, &self.record.settings);
        let (Some(rate), RateFrom::ShareOfReference(_)) = (settings.rate, settings.rate_from) else { return false };
        let keeps_up = |slices: &mut dyn Iterator<Item = &Slice>| carried(slices, Some(rate));
        let block = self.record.blocks.last().map_or(&[][..], |block| &block.rows[row].open);
        // One bad block among good ones is part of the latencies of a noisy machine. It is kept while all blocks
        // together show that the rate is carried.
        if self.rate_row != Some(row)
            || keeps_up(&mut block.iter())
            || keeps_up(&mut self.record.slices(row, Loop::Open))
        {
            return false;
        }
        let Some(Carried { median, .. }) = self.closed_throughput(row) else { return false };
        if rate <= median * LEAST {
            return false;
        }
        let lowered = self.carried_rate(entrant, rate * LOWER, median);
        // An interrupted run measures nothing at the lower rate.
        if self.record.provenance.interrupted {
            return false;
        }
        self.set_rate(lowered, median);
        for row in self.record.blocks.iter_mut().flat_map(|block| &mut block.rows) {
            row.open.iter().for_each(|slice| row.unmeasured_failures += slice.failures);
            row.at_higher_rates.append(&mut row.open);
        }
        true
    }

    /// The highest rate, from this one downwards, that a trial shows to be carried, but at least the lowest allowed
    /// rate.
    fn carried_rate(&mut self, entrant: &mut Entrant, mut rate: f64, median: f64) -> f64 {
        let Some(lengths) = self.lengths else { return rate };
        let lowest = median * LEAST;
        while rate > lowest {
            let load = self.load(entrant, Pace::Open { rate }, lengths.open, 0, SLICE_PARTS);
            let Some(slice) = self.measure(entrant, &load) else { break };
            self.current(entrant.row).unmeasured_failures += slice.failures;
            if carried(std::iter::once(&slice), Some(rate)) {
                break;
            }
            rate *= LOWER;
        }
        rate.max(lowest)
    }

    fn set_rate(&mut self, rate: f64, median: f64) {
        self.record.settings.rate = Some(rate);
        self.record.settings.rate_from = RateFrom::ShareOfReference(rate / median);
    }

    /// The row's right answers per second in the closed loop so far.
    fn closed_throughput(&self, row: usize) -> Option<Carried> {
        let mut slices: Vec<f64> = self.record.slices(row, Loop::Closed).map(Slice::throughput).collect();
        slices.sort_by(f64::total_cmp);
        let median = tierup_stats::median(&slices).ok().filter(|median| *median > 0.0)?;
        Some(Carried { median, worst: slices[0], others: self.used_by_others(row) })
    }

    /// The share of the machine that other programs used while a row was measured, as far as known.
    fn used_by_others(&self, row: usize) -> f64 {
        let (mut others, mut all) = (0.0, 0.0);
        for slice in self.record.slices(row, Loop::Closed) {
            others += slice.other_cpu.unwrap_or(0.0) / 1e6;
            all += (slice.seconds + slice.drain_seconds) * self.record.provenance.environment.processors;
        }
        if all > 0.0 { (others / all).min(1.0) } else { 0.0 }
    }
}

/// The throughput of a row over its slices.
#[derive(Debug, Clone, Copy)]
struct Carried {
    median: f64,
    worst: f64,
    /// The share of the machine that other programs used meanwhile.
    others: f64,
}

impl Carried {
    /// The rate as a share of the median.
    fn share(self) -> f64 {
        let others = if self.others < OTHERS { 0.0 } else { self.others };
        (SHARE_OF_REFERENCE * (1.0 - others)).min(self.worst / self.median * OF_WORST).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_slow_at_times_leaves_more_room() {
        let share = |worst: f64| Carried { median: 1000.0, worst, others: 0.05 }.share();
        assert_eq!(share(990.0), SHARE_OF_REFERENCE);
        assert!((share(700.0) - 0.56).abs() < 1e-9);
        assert_eq!((share(300.0), share(0.0)), (LEAST, LEAST));
        let beside = |others: f64| Carried { median: 1000.0, worst: 990.0, others }.share();
        assert!((beside(0.2) - 0.56).abs() < 1e-9 && beside(0.9) == LEAST);
    }
}
