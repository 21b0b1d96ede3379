//! Answers that keep differing now and then without being confirmed. In: comparisons of requests that can be asked
//! again, slot by slot. Out: an e-value that rolls back, and one that only holds the weight.
//!
//! Mismatches of one moment belong together: a flag that each process polls for itself causes hundreds at once. So they
//! are not counted one by one. In each block of [`SLOTS`] slots, the sign tells whether candidate or twin differed from
//! control more often, without the [`LEFT_OUT`] slots in which each did most. With equal processes the sign is a coin
//! toss, however mismatches within a block depend on each other (see [`SlownessEvidence`]). Differences that pass fill
//! fewer slots than are left out, so they have no effect, even if one process always learns of a flag later than the
//! other.
//!
//! Twenty blocks take forty minutes. So the mismatches of the slots that are not left out are also counted one by one,
//! as in [`Suspicion`]. This can only hold the weight, as they may still belong together.
//!
//! All routes together have half of the e-value. The k-th route has the part `1 / (k (k + 1))` of the other half, as in
//! [`Suspicion`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::{Block, Margin, SlownessEvidence};

use super::{
    exact::Exact,
    suspicion::{Found, Suspicion, ln_average},
};
use crate::weights::Part;

/// The number of slots in a block: two minutes.
const SLOTS: usize = 24;
/// How many slots of a block are left out: a flag that is polled every 30 s makes at most seven slots differ.
const LEFT_OUT: usize = 8;

/// What the blocks have shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Steady {
    all: Tally,
    /// Each route has a number from 1 on, in the order in which routes showed up.
    routes: BTreeMap<String, (u32, Tally)>,
    /// Mismatches counted one by one, in the slots that are not left out.
    pub(super) each: Suspicion,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct Tally {
    worth: Exact<5>,
    /// Blocks in which the candidate differed more often, and blocks in which the twin did.
    worse: u64,
    better: u64,
    /// The slots of the block that has not ended yet.
    candidate: Vec<Compared>,
    twin: Vec<Compared>,
}

/// The number of compared answers in a slot, and how many of them differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Compared {
    pub(super) all: u64,
    pub(super) different: u64,
}

impl Steady {
    /// Takes in a slot: comparisons of the candidate and of the twin, by route. `margin` says how many times as often
    /// the candidate may differ.
    pub(super) fn take(&mut self, slot: &BTreeMap<String, [Compared; 2]>, weight: Part, margin: Margin) {
        for route in slot.keys().filter(|route| !self.routes.contains_key(*route)).cloned().collect::<Vec<_>>() {
            let number = u32::try_from(self.routes.len()).unwrap_or(u32::MAX - 1) + 1;
            self.routes.insert(route, (number, Tally::default()));
        }
        if let Some(found) = self.all.take(sum(slot.values()), weight, margin) {
            self.each.add(margin, found);
        }
        for (route, (_, tally)) in &mut self.routes {
            if let Some(found) = tally.take(slot.get(route).copied().unwrap_or_default(), weight, margin) {
                self.each.add_to_route(margin, route, found);
            }
        }
    }

    /// The logarithm of the e-value.
    pub(super) fn ln_e_value(&self) -> f64 {
        // The part for routes that have not shown up has the e-value 1.
        let rest = 0.5 / (self.routes.len() as f64 + 1.0);
        let parts = self.parts().map(|(part, _, tally)| (part, tally.ln_e_value()));
        ln_average(&parts.chain([(rest, 0.0)]).collect::<Vec<_>>())
    }

    /// The route with the most evidence, or `None` if it is that of all together, and what was counted.
    pub(super) fn counted(&self) -> (Option<String>, String) {
        let worth = |(part, _, tally): &(f64, _, &Tally)| part.ln() + tally.ln_e_value();
        let loudest = self.parts().max_by(|one, other| worth(one).total_cmp(&worth(other)));
        // The part for all routes together always exists.
        let (route, Tally { worse, better, .. }) =
            loudest.map_or((None, &self.all), |(_, route, tally)| (route, tally));
        let words = format!(
            "in {worse} of {} periods of two minutes, more of the candidate's answers differed from control's than of its twin's",
            worse + better
        );
        (route.cloned(), words)
    }

    fn parts(&self) -> impl Iterator<Item = (f64, Option<&String>, &Tally)> {
        let routes = self.routes.iter().map(|(route, (number, tally))| {
            let number = f64::from(*number);
            (0.5 / (number * (number + 1.0)), Some(route), tally)
        });
        [(0.5, None, &self.all)].into_iter().chain(routes)
    }
}

impl Tally {
    /// Takes in a slot. At the end of a block, returns the mismatches that were not left out.
    fn take(&mut self, [candidate, twin]: [Compared; 2], weight: Part, margin: Margin) -> Option<Found> {
        self.candidate.push(candidate);
        self.twin.push(twin);
        if self.candidate.len() < SLOTS {
            return None;
        }
        let [candidate, twin] = [&mut self.candidate, &mut self.twin].map(|slots| ordinary(std::mem::take(slots)));
        let block = Block {
            // The margin lets the candidate differ more often, as if more of its answers had been compared.
            candidate: (candidate.all as f64 * margin.ratio()).ceil() as u64,
            slow_of_candidate: candidate.different,
            twin: twin.all,
            slow_of_twin: twin.different,
        };
        // This never fails: a part is not larger than its whole, and the state is finite.
        if let (Ok(sign), Ok(mut evidence)) = (block.sign(), SlownessEvidence::from_state(self.worth.0)) {
            evidence.block(sign);
            self.worth = Exact(evidence.state());
            self.worse += u64::from(sign.value() > 0.0);
            self.better += u64::from(sign.value() < 0.0);
        }
        let chance = candidate.all as f64 / (candidate.all + twin.all) as f64;
        let found = Found { of_candidate: candidate.different, of_control: twin.different, chosen: 0, chance, weight };
        (candidate.different + twin.different > 0).then_some(found)
    }

    fn ln_e_value(&self) -> f64 {
        SlownessEvidence::from_state(self.worth.0).map_or(0.0, |evidence| evidence.ln_e_value())
    }
}

/// The sum of all slots, except those with the most differences.
fn ordinary(mut slots: Vec<Compared>) -> Compared {
    slots.sort_by_key(|slot| slot.different);
    let kept = slots.len().saturating_sub(LEFT_OUT);
    slots.into_iter().take(kept).fold(Compared::default(), Compared::with)
}

fn sum<'a>(all: impl Iterator<Item = &'a [Compared; 2]>) -> [Compared; 2] {
    all.fold(<[Compared; 2]>::default(), |[candidate, twin], more| [candidate.with(more[0]), twin.with(more[1])])
}

impl Compared {
    pub(super) fn with(self, more: Compared) -> Compared {
        Compared { all: self.all + more.all, different: self.different + more.different }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logarithm of the e-value after this many blocks. `differ` gives how many of 100 answers differ in a slot.
    fn after(blocks: usize, differ: impl Fn(usize) -> [u64; 2]) -> f64 {
        let mut steady = Steady::default();
        for number in 0..blocks * SLOTS {
            let slot = differ(number % SLOTS).map(|different| Compared { all: 100, different });
            steady.take(&BTreeMap::from([("GET /".to_owned(), slot)]), Part::HALF, Margin::default());
        }
        steady.ln_e_value()
    }

    #[test]
    fn steady_differences_are_found_and_passing_ones_are_not() {
        assert!(after(30, |_| [2, 1]) > 500.0_f64.ln());
        assert!(after(30, |_| [1, 1]) < 0.0);
        // These differences are within the margin.
        assert!(after(30, |_| [12, 10]) < 0.0);
        // Only the candidate differs, but never for long.
        assert_eq!(after(1000, |slot| if slot < LEFT_OUT { [100, 0] } else { [0, 0] }), 0.0);
        assert!(after(1000, |slot| if slot < LEFT_OUT { [100, 1] } else { [1, 1] }) < 0.0);
    }
}
