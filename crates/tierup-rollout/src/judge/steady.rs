//! Answers that differ now and then, all the time, without being confirmed. In: comparisons of requests that can be asked
//! again, slot by slot. Out: an e-value that rolls back, and one that holds.
//!
//! Mismatches of one moment belong together: a flag that each process polls for itself makes hundreds at once. So they are
//! not counted one by one. In each block of [`SLOTS`] slots, the sign says whether candidate or twin differed from control
//! more often, without the [`LEFT_OUT`] slots in which each did most. With equal processes that is a coin, whatever belongs
//! together within a block (see [`SlownessEvidence`]); and as what passes by itself fills fewer slots than are left out, it
//! tells nothing, even if one of two equal processes always learns of a flag later than the other.
//!
//! Twenty blocks take forty minutes. So the mismatches of the slots that are not left out are also counted one by one, as
//! [`Suspicion`] does; as they may still belong together, this only holds.
//!
//! All routes together have half of the e-value, the k-th route the part `1 / (k (k + 1))` of the rest, as in
//! [`Suspicion`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::{Block, Margin, SlownessEvidence};

use super::{
    exact::Exact,
    suspicion::{Found, Suspicion, ln_average},
};
use crate::weights::Part;

/// The slots of a block: two minutes.
const SLOTS: usize = 24;
/// Slots of a block that are left out: what is polled every 30 s differs in at most seven.
const LEFT_OUT: usize = 8;

/// What blocks have shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Steady {
    all: Tally,
    /// In the order in which the routes showed up, from 1.
    routes: BTreeMap<String, (u32, Tally)>,
    /// One by one, in the slots that are not left out.
    pub(super) each: Suspicion,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct Tally {
    worth: Exact<5>,
    /// Blocks in which the candidate differed more often, and in which the twin did.
    worse: u64,
    better: u64,
    /// The open block.
    candidate: Vec<Compared>,
    twin: Vec<Compared>,
}

/// Compared answers in a slot, and those of them that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Compared {
    pub(super) all: u64,
    pub(super) different: u64,
}

impl Steady {
    /// Takes in a slot: the candidate's and the twin's comparisons, by route. `margin` is how many times as often the candidate may
    /// differ.
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
        // What is left for routes that have not shown up is worth 1.
        let rest = 0.5 / (self.routes.len() as f64 + 1.0);
        let parts = self.parts().map(|(part, _, tally)| (part, tally.ln_e_value()));
        ln_average(&parts.chain([(rest, 0.0)]).collect::<Vec<_>>())
    }

    /// The route that speaks loudest, if one alone does, and what was counted.
    pub(super) fn counted(&self) -> (Option<String>, String) {
        let worth = |(part, _, tally): &(f64, _, &Tally)| part.ln() + tally.ln_e_value();
        let loudest = self.parts().max_by(|one, other| worth(one).total_cmp(&worth(other)));
        // There is always the part for all together.
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
    /// Returns what differed in a block that ends.
    fn take(&mut self, [candidate, twin]: [Compared; 2], weight: Part, margin: Margin) -> Option<Found> {
        self.candidate.push(candidate);
        self.twin.push(twin);
        if self.candidate.len() < SLOTS {
            return None;
        }
        let [candidate, twin] = [&mut self.candidate, &mut self.twin].map(|slots| ordinary(std::mem::take(slots)));
        let block = Block {
            // It may differ more often, as if it had been asked more often.
            candidate: (candidate.all as f64 * margin.ratio()).ceil() as u64,
            slow_of_candidate: candidate.different,
            twin: twin.all,
            slow_of_twin: twin.different,
        };
        // A part is never larger than its whole, and the state is finite.
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

/// All slots but those in which most differed.
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

    /// The logarithm of the e-value after so many blocks, in which so many of 100 answers differ in a slot with this number.
    fn after(blocks: usize, differ: impl Fn(usize) -> [u64; 2]) -> f64 {
        let mut steady = Steady::default();
        for number in 0..blocks * SLOTS {
            let slot = differ(number % SLOTS).map(|different| Compared { all: 100, different });
            steady.take(&BTreeMap::from([("GET /".to_owned(), slot)]), Part::HALF, Margin::default());
        }
        steady.ln_e_value()
    }

    #[test]
    fn what_differs_all_the_time_is_found_and_what_passes_is_not() {
        assert!(after(30, |_| [2, 1]) > 500.0_f64.ln());
        assert!(after(30, |_| [1, 1]) < 0.0);
        // Within the margin.
        assert!(after(30, |_| [12, 10]) < 0.0);
        // Always the candidate's, but never for long.
        assert_eq!(after(1000, |slot| if slot < LEFT_OUT { [100, 0] } else { [0, 0] }), 0.0);
        assert!(after(1000, |slot| if slot < LEFT_OUT { [100, 1] } else { [1, 1] }) < 0.0);
    }
}
