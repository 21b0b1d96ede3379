//! How much is mirrored, so that mirroring does not slow control. In: how long control's answers took in each slot of
//! time. Out: whether the next slot mirrors, and how much of the requested sample.
//!
//! One slot of four, chosen by chance, mirrors nothing. Signs decide whether control is slower in the others: for each
//! block of slots, was the part of slow answers (above the p99 without mirroring in the block before) larger with
//! mirroring than without, beyond a tolerance of 5 %? The processor time of an answer is tested in the same way. If
//! mirroring makes no difference, each sign is a coin toss, however control's load drifts, as chance chose the slot.
//! The evidence is that of [`SlownessEvidence`], which may be tested after every block: each test has a probability of
//! a false alarm of at most 5 %. While there is suspicion, blocks have two slots, for an earlier answer.

use std::time::Duration;

use tierup_rollout::{Latencies, Part};
use tierup_stats::{Block, SlownessEvidence};

/// How long mirroring stays on or off.
pub(super) const SLOT: Duration = Duration::from_secs(10);
/// The number of slots in a block.
const USUAL: u32 = 4;
/// The number of slots in a block while there is suspicion.
const SUSPICIOUS: u32 = 2;
/// By which factor control may be slower.
const TOLERANCE: f64 = 1.05;
/// The e-value that proves slowness, and the one that raises suspicion.
const PROOF: f64 = 20.0;
const SUSPICION: f64 = 3.0;
/// With fewer answers, the part of slow ones is mostly chance: three slots would look slower than one too often.
const LEAST_ANSWERS: u64 = 300;
/// The least time between two halvings of the sample.
const LEAST_TIME: Duration = Duration::from_secs(60);
/// After this time without a reason to halve, the sample is doubled.
const QUIET: Duration = Duration::from_secs(600);
/// The most halvings: after these, hardly anything of the sample is left.
const MOST_HALVINGS: u32 = 10;

/// How a slot is mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) mirroring: bool,
    /// How often the sample is halved.
    halvings: u32,
}

impl Setting {
    /// The part that is left of a sample.
    pub(super) fn part_of(self, sample: Part) -> Part {
        Part::of_ten_thousand(sample.ten_thousandths() >> self.halvings).unwrap_or(Part::NONE)
    }

    /// The part that is left of a sample, as a number from 0 to 1.
    pub(super) fn fraction_of(self, sample: Part) -> f64 {
        sample.fraction() / f64::from(1_u32 << self.halvings)
    }
}

/// Control's work in some time.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    pub(super) latencies: Latencies,
    /// Processor time in seconds, if control's processes are known.
    pub(super) processor: Option<f64>,
}

impl Work {
    pub(super) fn add(&mut self, other: &Work) {
        let is_first = self.latencies.count() == 0 && self.processor.is_none();
        self.processor = match (self.processor, other.processor) {
            (Some(one), Some(other)) => Some(one + other),
            (None, other) if is_first => other,
            // If one part is unknown, so is the sum.
            _ => None,
        };
        self.latencies.merge(&other.latencies);
    }

    fn processor_of_each(&self) -> Option<f64> {
        self.processor.map(|seconds| seconds / self.latencies.count().max(1) as f64).filter(|seconds| *seconds > 0.0)
    }
}

/// A change of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) before: Setting,
    pub(super) why: &'static str,
}

/// Decides, slot by slot.
#[derive(Debug)]
pub(super) struct Pace {
    setting: Setting,
    block: Slots,
    /// Answers above this are slow: the p99 without mirroring of the block before.
    limit: Option<Duration>,
    latency: SlownessEvidence,
    processor: SlownessEvidence,
    changed: Duration,
}

/// The current block.
#[derive(Debug, Default)]
struct Slots {
    length: u32,
    passed: u32,
    /// The number of the slot without mirroring.
    off: u32,
    with: Work,
    without: Work,
}

impl Pace {
    pub(super) fn new() -> Pace {
        Pace {
            setting: Setting { mirroring: true, halvings: 0 },
            // Without a limit yet, chance does not matter, so the last slot is chosen.
            block: Slots { length: USUAL, off: USUAL - 1, ..Slots::default() },
            limit: None,
            latency: SlownessEvidence::new(),
            processor: SlownessEvidence::new(),
            changed: Duration::ZERO,
        }
    }

    pub(super) fn setting(&self) -> Setting {
        self.setting
    }

    /// Takes in a slot that ended at `now`, counted from the beginning, and decides on the next. `chance` is a new
    /// random number.
    pub(super) fn next(&mut self, past: &Work, now: Duration, chance: u64) -> Option<Change> {
        let block = &mut self.block;
        if self.setting.mirroring { &mut block.with } else { &mut block.without }.add(past);
        block.passed += 1;
        let mut change = None;
        if block.passed >= block.length {
            self.take_in();
            change = self.change(now);
            let length = if self.e_value() >= SUSPICION { SUSPICIOUS } else { USUAL };
            // A remainder by 2 or 4 of a random 64-bit number is fair.
            let off = (chance % u64::from(length)) as u32;
            self.block = Slots { length, off, ..Slots::default() };
        }
        self.setting.mirroring = self.block.off != self.block.passed;
        change
    }

    /// Takes in the signs of a block.
    fn take_in(&mut self) {
        let Slots { with, without, .. } = &self.block;
        let [answers, answers_without] = [with, without].map(|work| work.latencies.count());
        if let Some(limit) = self.limit.filter(|_| answers.min(answers_without) >= LEAST_ANSWERS) {
            let slow = with.latencies.above(limit.mul_f64(TOLERANCE));
            let slow_without = without.latencies.above(limit);
            add(&mut self.latency, (slow, answers), (slow_without, answers_without));
            if let (Some(with), Some(without)) = (with.processor_of_each(), without.processor_of_each()) {
                let is_worse = u64::from(with > without * TOLERANCE);
                add(&mut self.processor, (is_worse, 1), (1 - is_worse, 1));
            }
        }
        if answers_without >= LEAST_ANSWERS {
            self.limit = without.latencies.quantile(0.99);
        }
    }

    fn change(&mut self, now: Duration) -> Option<Change> {
        let before = self.setting;
        let since = now.saturating_sub(self.changed);
        let [latency, processor] = [&self.latency, &self.processor].map(e_value);
        let why = if latency.max(processor) >= PROOF {
            if since < LEAST_TIME || before.halvings >= MOST_HALVINGS {
                return None;
            }
            self.setting.halvings += 1;
            match latency >= processor {
                true => "control's p99 is more than 5 % higher with mirroring than without",
                false => "control takes more than 5 % more processor time for an answer with mirroring than without",
            }
        } else {
            if since < QUIET || before.halvings == 0 || self.e_value() >= SUSPICION {
                return None;
            }
            self.setting.halvings -= 1;
            "control was not slower with mirroring for ten minutes"
        };
        self.changed = now;
        // The evidence so far is about another sample.
        (self.latency, self.processor) = (SlownessEvidence::new(), SlownessEvidence::new());
        Some(Change { before, why })
    }

    fn e_value(&self) -> f64 {
        e_value(&self.latency).max(e_value(&self.processor))
    }
}

fn e_value(evidence: &SlownessEvidence) -> f64 {
    evidence.ln_e_value().exp()
}

/// Adds a block, given how many of how many were slow with and without mirroring.
fn add(evidence: &mut SlownessEvidence, with: (u64, u64), without: (u64, u64)) {
    let ((slow_of_candidate, candidate), (slow_of_twin, twin)) = (with, without);
    // There are never more slow answers than answers.
    if let Ok(sign) = (Block { candidate, slow_of_candidate, twin, slow_of_twin }).sign() {
        evidence.block(sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slot of 500 answers that take about 10 ms times `factor`. The numbers are a fixed sequence, so that a test
    /// always has the same result.
    fn slot(random: &mut u64, factor: f64, processor: f64) -> Work {
        let mut work = Work { processor: Some(500.0 * 1e-3 * processor), ..Work::default() };
        for _ in 0..500 {
            let uniform = (next(random) >> 11) as f64 / (1_u64 << 53) as f64;
            // Exponential, like waiting in a queue.
            work.latencies.add(Duration::from_secs_f64(-(1.0 - uniform).ln() * 0.01 * factor));
        }
        work
    }

    /// SplitMix64.
    fn next(random: &mut u64) -> u64 {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Runs this many slots. Returns the changes with their slots' numbers, and how many slots mirrored. `does` gives
    /// the factors of control's latency and processor time for a setting and a slot's number.
    fn run(slots: u32, seed: u64, does: impl Fn(Setting, u32) -> (f64, f64)) -> (Vec<(u32, u32, &'static str)>, u32) {
        let (mut pace, mut random) = (Pace::new(), seed);
        let (mut changes, mut mirrored) = (Vec::new(), 0);
        for number in 1..=slots {
            mirrored += u32::from(pace.setting().mirroring);
            let (factor, processor) = does(pace.setting(), number);
            let work = slot(&mut random, factor, processor);
            let chance = next(&mut random);
            if let Some(change) = pace.next(&work, SLOT * number, chance) {
                changes.push((number, pace.setting().halvings, change.why));
            }
        }
        (changes, mirrored)
    }

    #[test]
    fn free_mirroring_continues_in_three_of_four_slots_while_load_drifts() {
        for seed in 0..8 {
            // The load rises and falls by half within some minutes.
            let drifting = |_, number: u32| (1.0 + 0.5 * (f64::from(number) / 7.0).sin(), 1.0);
            let (changes, mirrored) = run(360, seed, drifting);
            assert!(changes.is_empty(), "an hour, seed {seed}: {changes:?}");
            assert!((240..=300).contains(&mirrored), "{mirrored}");
        }
    }

    #[test]
    fn a_sample_is_halved_until_it_no_longer_slows_control() {
        for seed in 0..8 {
            // The whole sample costs 40 %, a half 20 %, a quarter nothing.
            let slows = |setting: Setting, _| match (setting.mirroring, setting.halvings) {
                (true, 0) => (1.4, 1.0),
                (true, 1) => (1.2, 1.0),
                _ => (1.0, 1.0),
            };
            let (changes, _) = run(120, seed, slows);
            let first = changes.first().expect("it is found");
            assert!(first.0 <= 45 && first.1 == 1 && first.2.contains("p99"), "seed {seed}: {changes:?}");
        }
    }

    #[test]
    fn processor_time_counts_too_and_a_quiet_time_doubles_the_sample() {
        // Mirroring costs 10 % of processor time for the first ten minutes.
        let costs = |setting: Setting, number: u32| (1.0, if setting.mirroring && number < 60 { 1.1 } else { 1.0 });
        let (changes, _) = run(240, 1, costs);
        let halved = changes.iter().take_while(|(.., why)| why.contains("processor time")).count();
        assert!(halved > 0 && changes.len() == 2 * halved, "each halving is undone: {changes:?}");
        assert!(changes[halved..].iter().all(|(.., why)| why.contains("ten minutes")), "{changes:?}");
        assert!(changes[halved..].windows(2).all(|pair| pair[1].0 - pair[0].0 >= 60), "slowly: {changes:?}");
        assert_eq!(changes.last().map(|last| last.1), Some(0));
    }

    #[test]
    fn a_halved_sample_is_half() {
        let setting = |halvings| Setting { mirroring: true, halvings };
        assert_eq!(setting(0).part_of(Part::ALL), Part::ALL);
        assert_eq!(setting(2).part_of(Part::ALL).to_string(), "25%");
    }
}
