//! Whether the candidate is slower than another server. In: how long both took, block by block of time. Out: an
//! e-value.
//!
//! For two quantiles, the median and the 99th percentile, an answer is slow if it takes longer than that quantile of
//! the other server's answers in the blocks *before*. For the candidate, this limit is multiplied by the tolerated
//! ratio. The block's sign tells which server had the larger part of slow answers: see [`SlownessEvidence`]. The
//! e-value is the average over both quantiles: the median finds a candidate that is always slower, the percentile one
//! that is sometimes slower.
//!
//! Each step begins new evidence beside the older one. Otherwise a candidate that is slow only once it has clients
//! would first have to outweigh all earlier blocks. The evidence that began as the k-th has the part `1 / (k (k + 1))`
//! of the e-value, as routes do in [`Suspicion`](super::suspicion).

use serde::{Deserialize, Serialize};
use tierup_stats::{Block, Sign, SlownessEvidence};

use super::{exact::Exact, suspicion::ln_average};
use crate::latencies::Latencies;

/// The number of blocks whose quantiles are the limits: the last one to two minutes.
const BLOCKS: u32 = 12;

/// The quantiles, and how many answers each needs.
const QUANTILES: [(f64, u64); 2] = [(0.5, 20), (0.99, 200)];

/// Further steps add to the evidence of the last one.
const MOST_STEPS: usize = 20;

/// What the blocks have shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Slowness {
    /// The signs for each quantile: since the beginning, and since each later step began.
    since: Vec<[Signs; 2]>,
    /// The other server's latencies: in the latest `blocks` blocks, and in the [`BLOCKS`] before those.
    latest: Latencies,
    blocks: u32,
    before: Latencies,
    /// The number of blocks in which both servers answered, and how many of them counted.
    both: u64,
    counted: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct Signs {
    worth: Exact<5>,
    /// Blocks in which the candidate had the larger part of slow answers, and blocks in which the other server had.
    worse: u64,
    better: u64,
}

impl Default for Slowness {
    fn default() -> Slowness {
        let (latest, before) = Default::default();
        Slowness { since: vec![<[Signs; 2]>::default()], latest, blocks: 0, before, both: 0, counted: 0 }
    }
}

impl Slowness {
    /// Takes in a block of time. `slower` is the tolerated ratio. A block that does not count only changes the limits
    /// of the following ones.
    pub(super) fn take(&mut self, candidate: &Latencies, other: &Latencies, slower: f64, counts: bool) {
        let both = candidate.count() > 0 && other.count() > 0;
        self.both += u64::from(both);
        self.counted += u64::from(both && counts);
        let mut past = self.before.clone();
        past.merge(&self.latest);
        let known = past.count();
        for (number, (quantile, least)) in QUANTILES.into_iter().enumerate() {
            if let Some(limit) = past.quantile(quantile).filter(|_| counts && known >= least) {
                let block = Block {
                    candidate: candidate.count(),
                    slow_of_candidate: candidate.above(limit.mul_f64(slower)),
                    twin: other.count(),
                    slow_of_twin: other.above(limit),
                };
                // The signs are always valid, as a part is never larger than its whole.
                if let Ok(sign) = block.sign() {
                    self.since.iter_mut().for_each(|signs| signs[number].take(sign));
                }
            }
        }
        self.latest.merge(other);
        self.blocks += 1;
        if self.blocks >= BLOCKS {
            self.before = std::mem::take(&mut self.latest);
            self.blocks = 0;
        }
    }

    /// A step begins.
    pub(super) fn begin_step(&mut self) {
        if self.since.len() < MOST_STEPS {
            self.since.push(<[Signs; 2]>::default());
        }
    }

    /// The logarithm of the e-value.
    pub(super) fn ln_e_value(&self) -> f64 {
        // The part for steps that have not begun has the e-value 1.
        let rest = 1.0 / (self.since.len() as f64 + 1.0);
        let parts = self.parts().map(|(part, signs)| (part, signs.ln_e_value()));
        ln_average(&parts.chain([(rest, 0.0)]).collect::<Vec<_>>())
    }

    /// The parts of the average, except for steps that have not begun; the median and the percentile alternate.
    fn parts(&self) -> impl Iterator<Item = (f64, &Signs)> {
        self.since.iter().enumerate().flat_map(|(before, signs)| {
            let number = before as f64 + 1.0;
            signs.each_ref().map(|signs| (0.5 / (number * (number + 1.0)), signs))
        })
    }

    /// The number of blocks in which both servers answered, and how many of them counted.
    pub(super) fn blocks(&self) -> (u64, u64) {
        (self.both, self.counted)
    }

    /// What was counted at the quantile with the most evidence. `other` is the other server's name.
    pub(super) fn in_words(&self, other: &str) -> String {
        let worth = |(part, signs): (f64, &Signs)| part.ln() + signs.ln_e_value();
        let names = ["p50", "p99"].into_iter().cycle();
        let loudest = self.parts().zip(names).max_by(|(one, _), (other, _)| worth(*one).total_cmp(&worth(*other)));
        // The evidence since the beginning always exists.
        let Some(((_, signs), name)) = loudest else { return String::new() };
        let (worse, all) = (signs.worse, signs.worse + signs.better);
        format!("in {worse} of {all} blocks of time, more of the candidate's answers exceeded the {name} of {other}")
    }
}

impl Signs {
    fn take(&mut self, sign: Sign) {
        // A stored state is always finite.
        if let Ok(mut evidence) = SlownessEvidence::from_state(self.worth.0) {
            evidence.block(sign);
            self.worth = Exact(evidence.state());
            self.worse += u64::from(sign.value() > 0.0);
            self.better += u64::from(sign.value() < 0.0);
        }
    }

    fn ln_e_value(&self) -> f64 {
        SlownessEvidence::from_state(self.worth.0).map_or(0.0, |evidence| evidence.ln_e_value())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn latencies(milliseconds: impl IntoIterator<Item = u64>) -> Latencies {
        let mut latencies = Latencies::default();
        milliseconds.into_iter().for_each(|took| latencies.add(Duration::from_millis(took)));
        latencies
    }

    fn after(blocks: u32, candidate: &Latencies, twin: &Latencies) -> Slowness {
        let mut slowness = Slowness::default();
        (0..blocks).for_each(|_| slowness.take(candidate, twin, 1.05, true));
        slowness
    }

    #[test]
    fn a_slower_candidate_is_found_and_an_equal_one_is_not() {
        let twin = latencies(1..=100);
        let slower = latencies((1..=100).map(|took| took + took / 5));
        assert!(after(30, &slower, &twin).ln_e_value() > 400.0_f64.ln());
        assert!(after(30, &twin, &twin).ln_e_value() < 0.0);
        let counted = after(30, &slower, &twin).in_words("its twin");
        assert!(counted.contains("blocks of time, more of the candidate's answers exceeded the p"), "{counted}");
    }

    #[test]
    fn a_slow_tail_alone_is_found() {
        let twin = latencies(1..=100);
        let tail = latencies((1..=100).map(|took| if took > 97 { took + 20 } else { took }));
        let found = after(30, &tail, &twin);
        assert!(found.ln_e_value() > 400.0_f64.ln(), "{found:?}");
        assert!(found.in_words("its twin").contains("p99"));
    }

    #[test]
    fn a_candidate_that_is_slow_from_some_step_on_is_found_in_spite_of_the_steps_before() {
        let twin = latencies(1..=100);
        let slower = latencies((1..=100).map(|took| took + took / 5));
        let mut slowness = after(500, &twin, &twin);
        slowness.begin_step();
        assert!(slowness.ln_e_value() < 0.1);
        (0..40).for_each(|_| slowness.take(&slower, &twin, 1.05, true));
        assert!(slowness.ln_e_value() > 400.0_f64.ln(), "{slowness:?}");
        assert!(slowness.in_words("its twin").starts_with("in 40 of 40 blocks"), "{}", slowness.in_words("its twin"));
        // An operator who begins many steps neither lets it grow without bound nor adds evidence.
        let mut slowness = after(30, &twin, &twin);
        (0..1000).for_each(|_| slowness.begin_step());
        assert!(slowness.ln_e_value() <= 0.0 && slowness.since.len() == MOST_STEPS);
    }

    #[test]
    fn a_block_that_does_not_count_says_nothing() {
        let twin = latencies(1..=100);
        let slower = latencies((1..=100).map(|took| took + took / 5));
        let mut slowness = Slowness::default();
        (0..30).for_each(|_| slowness.take(&slower, &twin, 1.05, false));
        assert_eq!((slowness.ln_e_value(), slowness.blocks()), (0.0, (30, 0)));
    }

    #[test]
    fn the_first_block_and_idle_servers_say_nothing() {
        let (busy, idle) = (latencies(1..=1000), Latencies::default());
        assert_eq!(after(1, &busy, &latencies(1..=10)).ln_e_value(), 0.0);
        assert_eq!(after(30, &busy, &idle).ln_e_value(), 0.0);
        assert_eq!(after(30, &idle, &busy).ln_e_value(), 0.0);
    }
}
