//! Copies whose answers differ. In: how many were compared with which process, how many differed, and which differences
//! were confirmed. Out: e-values, and the reason to roll back at once.
//!
//! A difference is noise if control differs from itself as often. So a part of the copies goes to a second control
//! process, and the question is: "given a mismatch, in which pair?". The chance is the candidate's part of the copies
//! that were *compared*, not of those that were sent: if a second control process is down, noise must not look like the
//! candidate's fault.
//!
//! A difference is *confirmed* if both were asked again, control agreed with itself, and the other side differed again.
//! Without a budget, several of them roll back ([`Confirmations`]). A route on which control often differs from itself
//! is an exception: asking again proves little there, and its mismatches count as other evidence does.
//!
//! With a budget, confirmed mismatches are counted against it: each compared answer is a bet that confirmed mismatches
//! are more frequent than tolerated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::{Margin, OriginEvidence, Side};

use super::{
    confirmations::Confirmations,
    decision::Reason,
    exact::Exact,
    steady::{self, Steady},
    suspicion::{Count, Found, Loudest, Suspicion, ln_average},
    wholly::Wholly,
};
use crate::{
    evidence::{Confirmed, Pair, Slot, is_ordinary},
    weights::Part,
};

/// Control is noisy on a route if it differed from itself this often, and in this part of the comparisons. Below that,
/// a random difference that changes each time is confirmed in less than one of a million cases.
const NOISY: (u64, f64) = (2, 0.005);

/// What the comparisons of a ramp showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Mismatches {
    margin: f64,
    /// The part of the answers that may differ.
    budget: f64,
    has_second: bool,
    /// In which pair the unconfirmed mismatches were. `origin` counts requests that cannot be asked again, one by one;
    /// `steady` the others.
    origin: Suspicion,
    steady: Steady,
    /// With a budget: whether more than the tolerated part of the answers differ at all, and are confirmed to.
    differing: Rate,
    confirmed: Rate,
    /// Comparisons of control with itself, by route.
    noise: BTreeMap<String, Noise>,
    /// Without a budget: the confirmed differences.
    confirmations: Confirmations,
    wholly: Wholly,
    /// The part of the copies that the twin gets, if there is one.
    second: Part,
    /// Confirmed differences that no slot has compared yet, by route.
    uncounted: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Noise {
    compared: u64,
    mismatched: u64,
}

/// How many of the compared answers were mismatches of some kind, and what that is worth against the budget.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Rate {
    worth: Exact<6>,
    of: u64,
    compared: u64,
}

/// Comparisons of one route in one slot.
#[derive(Debug, Default)]
struct Compared {
    /// How many copies to the candidate, copies to the second control process, and answers of the candidate mirrored
    /// back to control were compared; how many of them differed; and how many of these are no evidence.
    candidate: (u64, u64, u64),
    second: (u64, u64, u64),
    verify: (u64, u64, u64),
}

impl Rate {
    /// Bets on mismatches being more frequent than the budget: [`OriginEvidence`] with the budget as weight, and no
    /// margin. It is an e-process while each compared answer, given all before it, is a mismatch with at most that
    /// probability.
    fn add(&mut self, budget: f64, of: u64, compared: u64) {
        let of = of.min(compared);
        self.of += of;
        self.compared += compared;
        let evidence = Margin::new(1.0).and_then(|exactly| {
            let mut evidence = OriginEvidence::from_state(exactly, self.worth.0)?;
            evidence.bad_answers(Side::Candidate, budget, of)?;
            evidence.bad_answers(Side::Control, budget, compared - of)?;
            Ok(evidence.state())
        });
        if let Ok(state) = evidence {
            self.worth = Exact(state);
        }
    }

    fn ln_e_value(&self) -> f64 {
        OriginEvidence::from_state(Margin::default(), self.worth.0).map_or(0.0, |evidence| evidence.ln_e_value())
    }
}

impl Mismatches {
    pub(super) fn new(margin: f64, budget: f64, has_second: bool) -> Mismatches {
        Mismatches {
            margin,
            budget,
            has_second,
            origin: Suspicion::default(),
            steady: Steady::default(),
            differing: Rate::default(),
            confirmed: Rate::default(),
            noise: BTreeMap::new(),
            confirmations: Confirmations::default(),
            wholly: Wholly::default(),
            second: Part::NONE,
            uncounted: BTreeMap::new(),
        }
    }

    fn margin(&self) -> Margin {
        Margin::new(self.margin).unwrap_or_default()
    }

    /// Takes in the slots of the same time. `name` gives the name under which a route is counted. `is_safe` says
    /// whether a route's requests change nothing: the proxy asks again only those.
    pub(super) fn take(&mut self, slots: &[&Slot], name: impl Fn(&str) -> String, is_safe: impl Fn(&str) -> bool) {
        let mut again = BTreeMap::new();
        slots.iter().for_each(|slot| self.take_slot(slot, &name, &is_safe, &mut again));
        self.steady.take(&again, self.second.rest(), self.margin());
        self.wholly.take(slots, name);
    }

    /// Adds the comparisons that can be asked `again` to those of other slots of the same time.
    fn take_slot(
        &mut self,
        slot: &Slot,
        name: impl Fn(&str) -> String,
        is_safe: impl Fn(&str) -> bool,
        again: &mut BTreeMap<String, [steady::Compared; 2]>,
    ) {
        // A load balancer's slots have no copies, and do not know who gets them.
        if slot.copies.is_empty() {
            return;
        }
        let mut routes = BTreeMap::<String, Compared>::new();
        for copies in &slot.copies {
            let compared = routes.entry(name(&copies.route)).or_default();
            let (all, mismatched, no_evidence) = match copies.pair {
                Pair::Candidate => &mut compared.candidate,
                Pair::Second => &mut compared.second,
                Pair::Verify => &mut compared.verify,
            };
            *all += copies.same + copies.mismatched;
            *mismatched += copies.mismatched;
            *no_evidence += copies.no_evidence;
        }
        self.second = slot.second;
        let (margin, weight) = (self.margin(), slot.second.rest());
        for (route, compared) in routes {
            if compared.second.0 > 0 {
                let noise = self.noise.entry(route.clone()).or_default();
                noise.compared += compared.second.0;
                noise.mismatched += compared.second.1;
            }
            let with_candidate = compared.candidate.0 + compared.verify.0;
            let confirmed = self.uncounted.remove(&route).unwrap_or_default();
            if self.budget > 0.0 {
                self.differing.add(self.budget, compared.candidate.1 + compared.verify.1, with_candidate);
                self.confirmed.add(self.budget, confirmed, with_candidate);
                if confirmed > with_candidate {
                    self.uncounted.insert(route.clone(), confirmed - with_candidate);
                }
            }
            let both = compared.candidate.0 + compared.second.0;
            // The left-out mismatches do not depend on the pair, so the probabilities of the others stay the same.
            let [of_candidate, of_control] = [compared.candidate, compared.second]
                .map(|(_, mismatched, no_evidence)| mismatched.saturating_sub(no_evidence));
            let of_candidate = of_candidate.saturating_sub(if self.budget > 0.0 { confirmed } else { 0 });
            if is_safe(&route) {
                let of = again.entry(route).or_default();
                let both = [(compared.candidate.0, of_candidate), (compared.second.0, of_control)];
                for (of, (all, different)) in of.iter_mut().zip(both) {
                    *of = of.with(steady::Compared { all, different });
                }
            } else if of_candidate + of_control > 0 {
                let chance = compared.candidate.0 as f64 / both as f64;
                // A public network counts once an hour, so this much may be one attacker's.
                let found = Found { of_candidate, of_control, chosen: of_candidate, chance, weight };
                self.origin.add(margin, found);
                self.origin.add_to_route(margin, &route, found);
            }
        }
    }

    /// Takes in a confirmed difference.
    pub(super) fn confirm(&mut self, proxy: &str, route: &str, confirmed: &Confirmed) {
        if self.budget == 0.0 {
            self.confirmations.take(proxy, route, confirmed);
        } else if confirmed.pair != Pair::Second && is_ordinary(confirmed.status) && !self.is_noisy(route) {
            *self.uncounted.entry(route.to_owned()).or_default() += 1;
        }
    }

    /// The reason to end the ramp, if there are enough confirmed differences.
    pub(super) fn ends(&self) -> Option<Reason> {
        self.confirmations.ends(self.second(), |route| self.is_noisy(route), |route| self.wholly.is(route))
    }

    /// The logarithm of the e-value that can only hold the weight, and what was counted.
    pub(super) fn holds(&self) -> (f64, (Option<String>, String)) {
        let Loudest { route, counted } = self.steady.each.loudest(self.margin());
        let counted = counted.in_words("mismatches", " of the compared copies, and may belong together");
        (self.steady.each.ln_e_value(self.margin(), Count::All), (route, counted))
    }

    /// The confirmed differences that are not enough to end the ramp.
    pub(super) fn waits(&self) -> impl Iterator<Item = Reason> {
        self.confirmations.waits(self.second(), |route| self.is_noisy(route))
    }

    fn second(&self) -> Option<Part> {
        (self.has_second && self.second > Part::NONE).then_some(self.second)
    }

    fn is_noisy(&self, route: &str) -> bool {
        self.noise.get(route).is_some_and(|noise| noise.is_noisy())
    }

    /// Whether control was ever compared with itself on this route.
    pub(super) fn knows_noise(&self, route: &str) -> bool {
        self.noise.get(route).is_some_and(|noise| noise.compared > 0)
    }

    /// The logarithm of the e-value of unconfirmed mismatches.
    ///
    /// With a budget, a candidate is rejected if it differs more often than control *and* more often than the budget
    /// allows: the smaller of two e-values is an e-value for "at least one is within its limit".
    pub(super) fn ln_unconfirmed(&self, count: Count) -> f64 {
        let ln = ln_average(&[(0.5, self.origin.ln_e_value(self.margin(), count)), (0.5, self.steady.ln_e_value())]);
        if self.budget > 0.0 { ln.min(self.differing.ln_e_value()) } else { ln }
    }

    /// The route with the most evidence, or `None` if it is that of all together, and what was counted.
    pub(super) fn counted_unconfirmed(&self) -> (Option<String>, String) {
        let (route, mut counted) = if self.steady.ln_e_value() >= self.origin.ln_e_value(self.margin(), Count::All) {
            self.steady.counted()
        } else {
            let loudest = self.origin.loudest(self.margin());
            (loudest.route, loudest.counted.in_words("mismatches", " of the compared copies"))
        };
        if self.budget > 0.0 {
            counted += &format!("; {} of its {} answers differed", self.differing.of, self.differing.compared);
        }
        (route, counted)
    }

    /// The logarithm of the e-value of confirmed mismatches against the budget.
    pub(super) fn ln_confirmed(&self) -> f64 {
        self.confirmed.ln_e_value()
    }

    pub(super) fn counted_confirmed(&self) -> String {
        let Rate { of, compared, .. } = self.confirmed;
        let tolerated = super::rounded(self.budget * 100.0);
        format!("{of} of {compared} compared answers, where {tolerated} % are tolerated")
    }
}

impl Noise {
    fn is_noisy(self) -> bool {
        let (least, part) = NOISY;
        self.mismatched >= least && self.mismatched as f64 > part * self.compared as f64
    }
}
