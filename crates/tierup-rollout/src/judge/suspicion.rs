//! "Given a bad answer, whose was it?", for all routes together and for each route. In: how many bad answers were the
//! candidate's, and the probability that one is. Out: one e-value for all.
//!
//! Half of the e-value is that of all routes together, half that of single routes, of which the k-th to show up has the
//! part `1 / (k (k + 1))`. These parts add up to 1, and do not depend on the data. An average of e-processes with parts
//! that are fixed beforehand is an e-process (Ramdas, Grünwald, Vovk and Shafer 2023). So a hundred routes share one
//! probability of a false alarm, and a rise on one route is found though it is lost in the noise of all.
//!
//! There are two such e-values. The one that holds the weight counts all bad answers. The one that rolls back leaves
//! out the candidate's first [`ONE_ATTACKER`] bad answers that one attacker could have caused, the most that one can
//! add. Leaving out bad answers of the candidate only makes the value smaller, so it stays an e-process.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::{Margin, OriginEvidence, Side};

use super::{ONE_ATTACKER, exact::Exact};
use crate::weights::Part;

/// Bad answers that were found under equal conditions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) of_candidate: u64,
    pub(super) of_control: u64,
    /// Bad answers of the candidate that one attacker with many addresses could have caused.
    pub(super) chosen: u64,
    /// The probability that a bad answer is the candidate's if both sides are equal.
    pub(super) chance: f64,
    /// The candidate's part of the traffic, only for texts.
    pub(super) weight: Part,
}

/// Evidence of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Suspicion {
    all: Tally,
    /// Each route has a number from 1 on, in the order in which routes showed up.
    routes: BTreeMap<String, (u32, Tally)>,
}

/// What was counted, and the evidence in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct Tally {
    worth: Exact<6>,
    /// The evidence without the candidate's left-out bad answers, and the number of those.
    #[serde(default)]
    proven: Exact<6>,
    #[serde(default)]
    left_out: u64,
    /// Bad answers of the candidate and of control, by the candidate's weight; at most one entry a weight.
    found: BTreeMap<Part, (u64, u64)>,
}

/// The route with the most evidence.
#[derive(Debug, PartialEq)]
pub(super) struct Loudest {
    pub(super) route: Option<String>,
    pub(super) counted: Counted,
}

/// The candidate's bad answers and all bad answers, by the candidate's weight.
#[derive(Debug, PartialEq)]
pub(super) struct Counted {
    found: Vec<(Part, u64, u64)>,
    left_out: u64,
}

/// Which of the candidate's bad answers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// All of them, which is enough to hold the weight.
    All,
    /// Only the bad answers that no single attacker can have caused.
    Proven,
}

impl Tally {
    fn add(&mut self, margin: Margin, found: Found) {
        let left_out = found.chosen.min(ONE_ATTACKER - self.left_out.min(ONE_ATTACKER));
        // This never fails: the state is finite, and a chance is at most 1.
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
    /// The number that tells a route from others; 0 stands for all routes together.
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

    /// Takes in bad answers for all routes together.
    pub(super) fn add(&mut self, margin: Margin, found: Found) {
        self.all.add(margin, found);
    }

    /// The logarithm of the e-value of all bad answers at one weight, without this many of control's.
    pub(super) fn ln_without(&self, margin: Margin, weight: Part, of_control: u64) -> f64 {
        let (of_candidate, all_of_control) = self.all.found.get(&weight).copied().unwrap_or_default();
        let of_control = all_of_control.saturating_sub(of_control);
        let mut rest = Tally::default();
        rest.add(margin, Found { of_candidate, of_control, chosen: 0, chance: weight.fraction(), weight });
        rest.ln_e_value(margin, Count::All)
    }

    /// Takes in bad answers on one route.
    pub(super) fn add_to_route(&mut self, margin: Margin, route: &str, found: Found) {
        self.number(route);
        if let Some((_, tally)) = self.routes.get_mut(route) {
            tally.add(margin, found);
        }
    }

    /// The natural logarithm of the e-value.
    pub(super) fn ln_e_value(&self, margin: Margin, count: Count) -> f64 {
        // The part for routes that have not shown up has the e-value 1.
        let rest = 1.0 / (self.routes.len() as f64 + 1.0);
        let parts = self.parts(margin, count).map(|(part, worth, ..)| (part, worth)).chain([(rest / 2.0, 0.0)]);
        ln_average(&parts.collect::<Vec<_>>())
    }

    pub(super) fn loudest(&self, margin: Margin) -> Loudest {
        let loudest = self
            .parts(margin, Count::All)
            .max_by(|one, other| (one.0.ln() + one.1).total_cmp(&(other.0.ln() + other.1)));
        // The part for all routes together always exists.
        let (route, tally) = loudest.map_or((None, &self.all), |(_, _, route, tally)| (route, tally));
        Loudest { route: route.cloned(), counted: tally.counted() }
    }

    /// The parts of the average without the rest: their weight, and the logarithm of their e-value.
    fn parts(&self, margin: Margin, count: Count) -> impl Iterator<Item = (f64, f64, Option<&String>, &Tally)> {
        let routes = self.routes.iter().map(move |(route, (number, tally))| {
            let number = f64::from(*number);
            (0.5 / (number * (number + 1.0)), tally.ln_e_value(margin, count), Some(route), tally)
        });
        [(0.5, self.all.ln_e_value(margin, count), None, &self.all)].into_iter().chain(routes)
    }
}

/// The logarithm of a weighted average of values, given weights and logarithms.
pub(super) fn ln_average(parts: &[(f64, f64)]) -> f64 {
    let most = parts.iter().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
    most + parts.iter().map(|(weight, ln)| weight * (ln - most).exp()).sum::<f64>().ln()
}

impl Counted {
    /// For example `14 of 16 bad answers were the candidate's at 5%`.
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
        // The next bad answer is on a new route.
        let after = |candidate: u64| {
            let mut after = before.clone();
            after.add(margin, found(candidate, 1 - candidate, "25%"));
            after.add_to_route(margin, "GET /b", found(candidate, 1 - candidate, "25%"));
            after.ln_e_value(margin, Count::Proven).exp()
        };
        // The chance with the tolerated ratio, 1.25.
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
    fn counts_are_told_by_weight() {
        let mut suspicion = Suspicion::default();
        assert_eq!(suspicion.loudest(Margin::default()).counted.in_words("bad answers", ""), "no bad answers");
        suspicion.add(Margin::default(), found(2, 1, "1%"));
        suspicion.add(Margin::default(), found(12, 1, "5%"));
        let words = suspicion.loudest(Margin::default()).counted.in_words("bad answers", "");
        assert_eq!(words, "2 of 3 bad answers were the candidate's at 1%, 12 of 13 at 5%");
    }

    #[test]
    fn bad_answers_that_one_attacker_could_have_caused_only_hold() {
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
        // Bad answers to other clients count, in any order of arrival.
        suspicion.add(margin, chosen);
        assert!(suspicion.ln_e_value(margin, Count::Proven) > 20.0);
    }
}
