//! "Given a bad one, whose was it?", for all routes together and for each. In: how many bad ones were the candidate's,
//! with the probability that one was. Out: one e-value for all.
//!
//! The e-value is half that of all routes together, and half that of the routes, of which the k-th to show up has the
//! part `1 / (k (k + 1))`. These parts add up to 1, and do not depend on what is found. An average of e-processes
//! whose parts are fixed beforehand is an e-process (Ramdas, Grünwald, Vovk and Shafer 2023), so a hundred routes
//! share one probability of a false alarm, and a rise on one route is found though it drowns in the noise of all.
//!
//! There are two such e-values. The one that holds the weight counts all bad answers. The one that rolls back leaves out the candidate's
//! first [`ONE_ATTACKER`] bad answers that one attacker could have caused, which is the most that an attacker can add. Leaving out
//! bad answers of the candidate only makes the value smaller, so it stays an e-process.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::{Margin, OriginEvidence, Side};

use super::{ONE_ATTACKER, exact::Exact};
use crate::weights::Part;

/// Bad ones that were found under equal conditions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) of_candidate: u64,
    pub(super) of_control: u64,
    /// Bad answers of the candidate that one attacker with many addresses could have caused.
    pub(super) chosen: u64,
    /// The probability that one of them is the candidate's if both sides are equal.
    pub(super) chance: f64,
    /// The candidate's part of the traffic, for people.
    pub(super) weight: Part,
}

/// Evidence of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Suspicion {
    all: Tally,
    /// In the order in which the routes showed up, from 1.
    routes: BTreeMap<String, (u32, Tally)>,
}

/// What was counted, and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct Tally {
    worth: Exact<6>,
    /// Without those of the candidate that were left out, and how many these are.
    #[serde(default)]
    proven: Exact<6>,
    #[serde(default)]
    left_out: u64,
    /// Of the candidate and of control, by the candidate's weight. It has at most as many entries as there are parts.
    found: BTreeMap<Part, (u64, u64)>,
}

/// What speaks loudest.
#[derive(Debug, PartialEq)]
pub(super) struct Loudest {
    pub(super) route: Option<String>,
    pub(super) counted: Counted,
}

/// Bad ones of the candidate among all, by the candidate's weight.
#[derive(Debug, PartialEq)]
pub(super) struct Counted {
    found: Vec<(Part, u64, u64)>,
    left_out: u64,
}

/// Which of the candidate's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Enough to wait for more.
    All,
    /// Only the bad answers that no single attacker can have caused.
    Proven,
}

impl Tally {
    fn add(&mut self, margin: Margin, found: Found) {
        let left_out = found.chosen.min(ONE_ATTACKER - self.left_out.min(ONE_ATTACKER));
        // The state is finite, and a chance is a part of a whole: neither can be refused.
        let with = |worth: Exact<6>, of_candidate: u64| {
            let mut evidence = OriginEvidence::from_state(margin, worth.0)?;
            evidence.bad_answers(Side::Candidate, found.chance, of_candidate)?;
            evidence.bad_answers(Side::Control, found.chance, found.of_control)?;
            Ok::<_, tierup_stats::Error>(Exact(evidence.state()))
        };
        let proven = found.of_candidate.saturating_sub(left_out);
        if let (Ok(worth), Ok(proven)) = (with(self.worth, found.of_candidate), with(self.proven, proven)) {
            (self.worth, self.proven) = (worth, proven);
            self.left_out += left_out;
            let (candidate, control) = self.found.entry(found.weight).or_default();
            *candidate += found.of_candidate;
            *control += found.of_control;
        }
    }

    fn ln_e_value(&self, margin: Margin, count: Count) -> f64 {
        let worth = if count == Count::All { self.worth } else { self.proven };
        OriginEvidence::from_state(margin, worth.0).map_or(0.0, |evidence| evidence.ln_e_value())
    }

    fn counted(&self) -> Counted {
        let found = self.found.iter().map(|(weight, (of, other))| (*weight, *of, of + other)).collect();
        Counted { found, left_out: self.left_out }
    }
}

impl Suspicion {
    /// The number of a route, which tells it from others: 0 is all together.
    pub(super) fn number(&mut self, route: &str) -> u32 {
        match self.routes.get(route) {
            Some((number, _)) => *number,
            None => {
                let number = u32::try_from(self.routes.len()).unwrap_or(u32::MAX - 1) + 1;
                self.routes.insert(route.to_owned(), (number, Tally::default()));
                number
            }
        }
    }

    /// Takes in what was found, for all routes together.
    pub(super) fn add(&mut self, margin: Margin, found: Found) {
        self.all.add(margin, found);
    }

    /// The logarithm of what was found at one weight, on all routes, without so many of control's.
    pub(super) fn ln_without(&self, margin: Margin, weight: Part, of_control: u64) -> f64 {
        let (of_candidate, all_of_control) = self.all.found.get(&weight).copied().unwrap_or_default();
        let of_control = all_of_control.saturating_sub(of_control);
        let mut rest = Tally::default();
        rest.add(margin, Found { of_candidate, of_control, chosen: 0, chance: weight.fraction(), weight });
        rest.ln_e_value(margin, Count::All)
    }

    /// Takes in what was found on one route.
    pub(super) fn add_to_route(&mut self, margin: Margin, route: &str, found: Found) {
        self.number(route);
        if let Some((_, tally)) = self.routes.get_mut(route) {
            tally.add(margin, found);
        }
    }

    /// The natural logarithm of the e-value.
    pub(super) fn ln_e_value(&self, margin: Margin, count: Count) -> f64 {
        // What is left for routes that have not shown up is worth 1.
        let rest = 1.0 / (self.routes.len() as f64 + 1.0);
        let parts = self.parts(margin, count).map(|(part, worth, ..)| (part, worth)).chain([(rest / 2.0, 0.0)]);
        ln_average(&parts.collect::<Vec<_>>())
    }

    pub(super) fn loudest(&self, margin: Margin) -> Loudest {
        let loudest = self
            .parts(margin, Count::All)
            .max_by(|one, other| (one.0.ln() + one.1).total_cmp(&(other.0.ln() + other.1)));
        // There is always the part for all together.
        let (route, tally) = loudest.map_or((None, &self.all), |(_, _, route, tally)| (route, tally));
        Loudest { route: route.cloned(), counted: tally.counted() }
    }

    /// All parts of the average but the rest: their weight, and the logarithm of their worth.
    fn parts(&self, margin: Margin, count: Count) -> impl Iterator<Item = (f64, f64, Option<&String>, &Tally)> {
        let routes = self.routes.iter().map(move |(route, (number, tally))| {
            let number = f64::from(*number);
            (0.5 / (number * (number + 1.0)), tally.ln_e_value(margin, count), Some(route), tally)
        });
        [(0.5, self.all.ln_e_value(margin, count), None, &self.all)].into_iter().chain(routes)
    }
}

/// The logarithm of a weighted average, from weights and logarithms.
pub(super) fn ln_average(parts: &[(f64, f64)]) -> f64 {
    let most = parts.iter().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
    most + parts.iter().map(|(weight, ln)| weight * (ln - most).exp()).sum::<f64>().ln()
}

impl Counted {
    /// `14 of 16 bad answers were the candidate's at 5%`.
    pub(super) fn in_words(&self, what: &str, of_what: &str) -> String {
        let counted: Vec<_> = self.found.iter().filter(|(_, _, all)| *all > 0).collect();
        let Some(((weight, of, all), rest)) = counted.split_first() else {
            return format!("no {what}");
        };
        let mut words = format!("{of} of {all} {what} were the candidate's at {weight}");
        for (weight, of, all) in rest {
            words += &format!(", {of} of {all} at {weight}");
        }
        words += of_what;
        if self.left_out > 0 {
            words += &format!("; {} may be one attacker's, and do not roll back", self.left_out);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        text.parse().unwrap()
    }

    fn found(of_candidate: u64, of_control: u64, weight: &str) -> Found {
        let weight = part(weight);
        Found { of_candidate, of_control, chosen: 0, chance: weight.fraction(), weight }
    }

    #[test]
    fn evidence_begins_at_one_with_any_number_of_routes() {
        let mut suspicion = Suspicion::default();
        for route in 0..100 {
            assert!(suspicion.ln_e_value(Margin::default(), Count::Proven).abs() < 1e-12);
            suspicion.number(&format!("GET /{route}"));
        }
    }

    #[test]
    fn one_more_bad_answer_is_worth_one_on_average_at_most() {
        let margin = Margin::default();
        let mut before = Suspicion::default();
        before.add(margin, found(3, 40, "5%"));
        before.add_to_route(margin, "GET /a", found(3, 4, "5%"));
        // The next bad answer is one of a new route.
        let after = |candidate: u64| {
            let mut after = before.clone();
            after.add(margin, found(candidate, 1 - candidate, "25%"));
            after.add_to_route(margin, "GET /b", found(candidate, 1 - candidate, "25%"));
            after.ln_e_value(margin, Count::Proven).exp()
        };
        // With the tolerated ratio, 1.25.
        let chance = 0.25 * 1.25 / (0.25 * 1.25 + 0.75);
        let expected = chance * after(1) + (1.0 - chance) * after(0);
        assert!((expected / before.ln_e_value(margin, Count::Proven).exp() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_rise_on_one_route_is_found_in_the_noise_of_all() {
        let margin = Margin::default();
        let mut suspicion = Suspicion::default();
        suspicion.add(margin, found(60, 1000, "5%"));
        suspicion.add_to_route(margin, "GET /noisy", found(50, 1000, "5%"));
        assert!(suspicion.ln_e_value(margin, Count::Proven) < 0.0);
        suspicion.add_to_route(margin, "GET /bad", found(10, 0, "5%"));
        assert!(suspicion.ln_e_value(margin, Count::Proven) > 10.0);
        let loudest = suspicion.loudest(margin);
        assert_eq!(loudest.route.as_deref(), Some("GET /bad"));
        assert_eq!(loudest.counted.in_words("bad answers", ""), "10 of 10 bad answers were the candidate's at 5%");
    }

    #[test]
    fn what_was_counted_is_told_by_weight() {
        let mut suspicion = Suspicion::default();
        assert_eq!(suspicion.loudest(Margin::default()).counted.in_words("bad answers", ""), "no bad answers");
        suspicion.add(Margin::default(), found(2, 1, "1%"));
        suspicion.add(Margin::default(), found(12, 1, "5%"));
        let words = suspicion.loudest(Margin::default()).counted.in_words("bad answers", "");
        assert_eq!(words, "2 of 3 bad answers were the candidate's at 1%, 12 of 13 at 5%");
    }

    #[test]
    fn what_one_attacker_could_have_chosen_only_holds() {
        let margin = Margin::default();
        let mut suspicion = Suspicion::default();
        let chosen = Found { chosen: ONE_ATTACKER, ..found(ONE_ATTACKER, 0, "5%") };
        suspicion.add(margin, chosen);
        assert!(suspicion.ln_e_value(margin, Count::All) > 20.0 && suspicion.ln_e_value(margin, Count::Proven) == 0.0);
        let words = suspicion.loudest(margin).counted.in_words("bad answers", "");
        assert_eq!(
            words,
            "20 of 20 bad answers were the candidate's at 5%; 20 may be one attacker's, and do not roll back"
        );
        // Answers to other clients count, in any order of arrival.
        suspicion.add(margin, chosen);
        assert!(suspicion.ln_e_value(margin, Count::Proven) > 20.0);
    }
}
