//! Finds a candidate that breaks down. In: all proxies' slots of the same time. Out: the reason to roll back at once,
//! at any weight.
//!
//! [`Suspicion`](super::suspicion) asks only whose the bad answers are. At 99 % nearly all of them are the candidate's
//! anyway, so it would need thousands of clients. This module also counts good answers. There are two signs:
//!
//! - The candidate gave no complete answer for a slot or longer, while clients sent requests.
//! - A *run* begins when the candidate has ten times the earlier rate of bad answers, and at least 1 % of its answers
//!   are bad. The slots after that are compared with control's answers of the same time, as a drift or a burst of
//!   failures hits both. The e-value is the likelihood of the first slot's rates, divided by the largest likelihood of
//!   rates within the margin. The first slot is not part of the compared data, so this is an e-process (Wasserman,
//!   Ramdas and Balakrishnan, "Universal inference", PNAS 2020, section 8). The k-th run has the part `1 / (k (k + 1))`
//!   of this kind's probability of a false alarm; these parts add up to 1.
//!
//! Of a client's bad answers by the candidate, one counts in a run's first slot and one in all its others, so that one
//! client is one witness. All good answers and all of control's count: leaving some out would accuse the candidate. A
//! run's first [`ONE_ATTACKER`] networks do not count: they may be one attacker, who knows the sides.
//!
//! Once the operator has ended the hold-back, control answers no requests. Then two such slots in a row roll back, if
//! at least [`CLIENTS`] clients had bad answers, beside the networks that do not count.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ONE_ATTACKER, decision::Reason, exact::Exact};
use crate::{
    evidence::{Bad, BadKind, LATE, SLOT, Slot, Witness},
    latencies::Latencies,
    weights::{Part, Side},
};

/// A run begins at this many times the earlier rate of bad answers, if at least this part of the answers is bad.
const TIMES: f64 = 10.0;
const LEAST_RATE: f64 = 0.01;
/// The earlier rate counts as known after this many answers.
const KNOWN: u64 = 1_000;
/// Without control's answers, at least this many clients must have had a bad one.
const CLIENTS: u64 = 20;
/// The most clients of a run that are told apart; further clients do not count.
const MOST_CLIENTS: usize = 16_384;
/// The requests and the clients that must be without a complete answer before the candidate counts as silent.
const SILENT: (u64, u64) = (10, 3);
/// An answer is as good as none if it takes [`LATE`] and this many times the earlier p99. This counts, once a client,
/// if it is true of half of the answers, at weights at which one client cannot be half of the candidate's traffic.
const TIMES_AS_LONG: f64 = 10.0;
const SLOW_FROM: Part = Part::HALF;

/// A number of answers, and how many of them were bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Count {
    all: u64,
    bad: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Breakdown {
    /// The answers of all sides, except in slots in which the candidate was suspicious.
    earlier: Count,
    took: Latencies,
    run: Option<Run>,
    /// The number of runs so far.
    runs: u32,
    #[serde(default)]
    silence: Silence,
}

/// Slots in a row in which the candidate answered nobody.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Silence {
    slots: u64,
    requests: u64,
    witnesses: Witnesses,
}

/// The clients that had bad answers, as far as they can be told apart.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Witnesses {
    seen: BTreeSet<Witness>,
    /// How many of them are networks.
    #[serde(rename = "public")]
    networks: u64,
}

/// Consecutive slots in which the candidate is suspicious.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Run {
    /// The rates in the first slot: the candidate's, and control's.
    rates: Exact<2>,
    slots: u32,
    /// The answers after the first slot: the candidate's, and those of control and the twin.
    candidate: Count,
    control: Count,
    /// The clients whose bad answers are in `candidate`.
    witnesses: Witnesses,
}

impl Breakdown {
    /// Takes in the slots of the same time at this weight. `needed` is the e-value at which this kind of evidence rolls
    /// back. `margin` says how many times control's bad answers are tolerated.
    pub(super) fn take(&mut self, slots: &[&Slot], at: Part, margin: f64, needed: f64) -> Option<Reason> {
        let silent = if at > Part::NONE { self.silence.take(slots) } else { None };
        let mut seen = Witnesses::default();
        let (candidate, control) = (of_candidate(slots, |witness| seen.is_new(witness)), of_control(slots));
        let slow = self.slow(slots, at);
        let candidate = candidate.with(slow, late(slots, slow, |witness| seen.is_new(witness)));
        if candidate.all > 0 && candidate.is_suspicious(self.earlier) {
            return silent.or_else(|| self.suspect(slots, slow, (candidate, control), at, margin, needed));
        }
        if candidate.all > 0 {
            self.run = None;
        }
        self.earlier.add(candidate);
        self.earlier.add(control);
        slots.iter().flat_map(|slot| slot.latencies.values()).for_each(|took| self.took.merge(took));
        silent
    }

    /// The weight changes, so the run ends. If failures rise on both sides, counts over two weights would accuse the
    /// side that has more of the later answers.
    pub(super) fn begin_step(&mut self) {
        self.run = None;
        self.silence = Silence::default();
    }

    fn suspect(
        &mut self,
        slots: &[&Slot],
        slow: u64,
        (candidate, control): (Count, Count),
        at: Part,
        margin: f64,
        needed: f64,
    ) -> Option<Reason> {
        let earlier = self.earlier;
        let Some(run) = &mut self.run else {
            let rates = Exact([candidate.guess(), control.guess()]);
            self.run = Some(Run { rates, slots: 1, ..Run::default() });
            self.runs += 1;
            return None;
        };
        run.slots += 1;
        let Run { candidate: sum, witnesses, .. } = run;
        let candidate = of_candidate(slots, |witness| witnesses.counts(witness));
        sum.add(candidate.with(slow, late(slots, slow, |witness| witnesses.counts(witness))));
        run.control.add(control);
        let is_enough = match at {
            Part::ALL => run.candidate.bad >= CLIENTS && run.candidate.is_suspicious(earlier),
            _ => {
                let number = f64::from(self.runs);
                run.ln_e_value(margin) >= (needed * number * (number + 1.0)).ln()
            }
        };
        is_enough.then(|| Reason::BrokeDown {
            bad: run.candidate.bad,
            answers: run.candidate.all,
            bad_of_control: run.control.bad,
            answers_of_control: run.control.all,
            seconds: u64::from(run.slots) * SLOT,
            bad_before: earlier.bad,
            answers_before: earlier.all,
        })
    }

    /// The number of answers to clients that took so long that they are as good as none.
    fn slow(&self, slots: &[&Slot], at: Part) -> u64 {
        if at < SLOW_FROM || self.took.count() < KNOWN {
            return 0;
        }
        let Some(limit) = self.took.quantile(0.99).map(|limit| limit.mul_f64(TIMES_AS_LONG).max(LATE)) else {
            return 0;
        };
        let of_candidate = || slots.iter().filter_map(|slot| slot.latencies.get(&Side::Candidate));
        let (slow, all): (u64, u64) =
            of_candidate().fold((0, 0), |(slow, all), took| (slow + took.above(limit), all + took.count()));
        if slow * 2 > all { slow } else { 0 }
    }
}

impl Run {
    /// The logarithm of the likelihood ratio: the first slot's rates against the best rates within the margin.
    fn ln_e_value(&self, margin: f64) -> f64 {
        let Run { rates: Exact([of_candidate, of_control]), candidate, control, .. } = self;
        let first = candidate.ln_likelihood(*of_candidate) + control.ln_likelihood(*of_control);
        if candidate.rate() <= margin * control.rate() {
            return first - candidate.ln_likelihood(candidate.rate()) - control.ln_likelihood(control.rate());
        }
        // The best rates lie on the edge of the margin, where the likelihood is concave and has one maximum.
        let edge = |rate: f64| candidate.ln_likelihood(margin * rate) + control.ln_likelihood(rate);
        let (mut low, mut high) = (0.0, 1.0 / margin);
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if edge(low + third) < edge(high - third) { low += third } else { high -= third }
        }
        first - edge(low).max(edge(high))
    }
}

impl Silence {
    /// Takes in slots of the same time. Silence ends once the candidate answers, or once control is silent as well.
    fn take(&mut self, slots: &[&Slot]) -> Option<Reason> {
        let sum = |is_side: fn(Side) -> bool| {
            let live = slots.iter().flat_map(|slot| &slot.live).filter(|live| is_side(live.side));
            live.fold((0, 0), |(answered, silent), live| (answered + live.answered, silent + live.silent))
        };
        let ((answered, silent), (of_control, silent_of_control)) = (sum(is_candidate), sum(is_control));
        if answered > 0 || (of_control == 0 && silent_of_control > 0) {
            *self = Silence::default();
        } else if silent > 0 {
            self.slots += 1;
            self.requests += silent;
            for witness in bad_of_candidate(slots).filter(|bad| bad.kind != BadKind::Error).filter_map(witness) {
                self.witnesses.is_new(witness);
            }
        }
        let Silence { slots, requests, ref witnesses } = *self;
        let is_down = requests >= SILENT.0 && witnesses.proven() >= SILENT.1;
        let clients = witnesses.seen.len() as u64;
        is_down.then_some(Reason::NoWholeAnswer { requests, clients, seconds: slots * SLOT })
    }
}

impl Witnesses {
    /// Whether this is the witness's first bad answer.
    fn is_new(&mut self, witness: Witness) -> bool {
        let is_new = self.seen.len() < MOST_CLIENTS && self.seen.insert(witness);
        self.networks += u64::from(is_new && witness.is_network);
        is_new
    }

    /// Whether this is the witness's first bad answer, and it cannot be that of the one attacker.
    fn counts(&mut self, witness: Witness) -> bool {
        self.is_new(witness) && (!witness.is_network || self.networks > ONE_ATTACKER)
    }

    /// The number of witnesses without those that may be one attacker.
    fn proven(&self) -> u64 {
        self.seen.len() as u64 - self.networks.min(ONE_ATTACKER)
    }
}

impl Count {
    /// Whether the candidate has a far higher rate of bad answers than there was earlier.
    fn is_suspicious(self, earlier: Count) -> bool {
        let rate = self.rate();
        earlier.all >= KNOWN && rate >= LEAST_RATE && rate >= TIMES * earlier.rate()
    }

    /// Takes `slow` answers out of the good ones. At most `of_clients` of them, one for each client, count as bad.
    fn with(self, slow: u64, of_clients: u64) -> Count {
        let good = (self.all - self.bad).saturating_sub(slow);
        let bad = self.bad + of_clients.min(slow);
        Count { all: good + bad, bad }
    }

    fn add(&mut self, more: Count) {
        self.all += more.all;
        self.bad += more.bad;
    }

    fn rate(self) -> f64 {
        self.bad as f64 / self.all.max(1) as f64
    }

    /// An estimate of the rate that is neither 0 nor 1 (Krichevsky and Trofimov 1981).
    fn guess(self) -> f64 {
        (self.bad as f64 + 0.5) / (self.all as f64 + 1.0)
    }

    fn ln_likelihood(self, rate: f64) -> f64 {
        let times = |count: u64, rate: f64| if count == 0 { 0.0 } else { count as f64 * rate.max(0.0).ln() };
        times(self.bad, rate) + times(self.all - self.bad, 1.0 - rate)
    }
}

fn is_candidate(side: Side) -> bool {
    side == Side::Candidate
}

fn is_control(side: Side) -> bool {
    !is_candidate(side)
}

fn of_control(slots: &[&Slot]) -> Count {
    let (good, bad) = good_and_bad(slots, is_control);
    Count { all: good + bad, bad }
}

/// The candidate's good answers, and the bad ones whose witnesses count.
fn of_candidate(slots: &[&Slot], mut counts: impl FnMut(Witness) -> bool) -> Count {
    let (good, bad) = good_and_bad(slots, is_candidate);
    let counted = bad_of_candidate(slots).filter_map(witness).filter(|witness| counts(*witness)).count() as u64;
    let bad = counted.min(bad);
    Count { all: good + bad, bad }
}

fn good_and_bad(slots: &[&Slot], is_side: impl Fn(Side) -> bool) -> (u64, u64) {
    let live = slots.iter().flat_map(|slot| &slot.live).filter(|live| is_side(live.side));
    live.fold((0, 0), |(good, bad), live| {
        (good + live.answered.saturating_sub(live.errors), bad + live.errors + live.silent)
    })
}

/// The number of clients with a late answer that count, if there are slow answers.
fn late(slots: &[&Slot], slow: u64, mut counts: impl FnMut(Witness) -> bool) -> u64 {
    let late = slots.iter().flat_map(|slot| &slot.late).take_while(|_| slow > 0);
    late.filter(|witness| counts(**witness)).count() as u64
}

fn witness(bad: &Bad) -> Option<Witness> {
    Witness::new(bad.client, bad.network)
}

/// The candidate's listed bad answers, except to clients that left early: they may have had reasons of their own.
fn bad_of_candidate<'a>(slots: &'a [&Slot]) -> impl Iterator<Item = &'a Bad> {
    let listed = slots.iter().flat_map(|slot| &slot.bad);
    listed.filter(|bad| is_candidate(bad.side) && bad.kind != BadKind::Left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(candidate: (u64, u64), control: (u64, u64)) -> Run {
        let count = |(bad, all)| Count { all, bad };
        let (candidate, control) = (count(candidate), count(control));
        Run {
            rates: Exact([candidate.guess(), control.guess()]),
            slots: 2,
            candidate,
            control,
            witnesses: Witnesses::default(),
        }
    }

    #[test]
    fn rates_within_the_margin_are_worth_at_most_one() {
        for (candidate, control) in [((30, 1000), (30, 1000)), ((37, 1000), (30, 1000)), ((1000, 1000), (10, 10))] {
            assert!(run(candidate, control).ln_e_value(1.25) <= 1e-9);
        }
    }

    #[test]
    fn few_good_answers_of_control_are_enough_if_all_of_the_candidates_are_bad() {
        assert!(run((500, 500), (0, 5)).ln_e_value(1.25) > 1000.0_f64.ln());
        assert!(run((500, 500), (0, 1)).ln_e_value(1.25) < 20.0_f64.ln());
        assert_eq!(run((500, 500), (0, 0)).ln_e_value(1.25).signum(), -1.0);
    }

    /// Under rates at the edge of the margin, the mean of an e-value is at most 1.
    #[test]
    fn an_e_value_is_worth_one_on_average_at_most() {
        let (margin, rate) = (1.25, 0.4_f64);
        let choose = |of: u64, k: u64| (0..k).map(|i| (of - i) as f64 / (i + 1) as f64).product::<f64>();
        let chance =
            |of: u64, k: u64, rate: f64| choose(of, k) * rate.powi(k as i32) * (1.0 - rate).powi((of - k) as i32);
        let mut mean = 0.0;
        for bad in 0..=12 {
            for of_control in 0..=6 {
                let mut run = run((bad, 12), (of_control, 6));
                run.rates = Exact([0.9, 0.1]);
                mean += chance(12, bad, margin * rate) * chance(6, of_control, rate) * run.ln_e_value(margin).exp();
            }
        }
        assert!(mean > 0.01 && mean <= 1.0, "{mean}");
    }
}
