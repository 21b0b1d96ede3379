//! Adds to a ranking how often its functions are called, and whether their arguments and answers can cross to Rust, as
//! single requests or the source showed. In: a [`Ranking`] and the observations. Out: the same ranking, whose bounds
//! include the cost of calls. Functions that cannot move are no longer candidates.

use super::{Function, Hindrance, Ranking};
use crate::{bound::Bound, profile::FrameId};

/// The observations of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Calls per request, if they were counted.
    pub calls: Option<f64>,
    /// Why its arguments or its answer cannot cross, if that is known; empty if they can.
    pub problems: Option<Vec<String>>,
}

/// The cost of a call of Rust.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCost {
    /// Microseconds of CPU for each call.
    pub microseconds: f64,
    /// Microseconds of CPU that the server's processes take per request before the rewrite, if known.
    pub cpu_per_request: Option<f64>,
    /// The measured call: `3:native, 64 bytes of text`.
    pub variant: String,
    /// On which machine and with which versions it was measured.
    pub measured: String,
}

/// If crossings cost more than this part of a function's present CPU, another function can be the better candidate.
const DEAR: f64 = 0.1;

impl Ranking {
    /// Whether it is known for any function if its types can cross.
    pub fn knows_types(&self) -> bool {
        let problems = |function: &Function| function.observed.as_ref()?.problems.as_ref().map(Vec::len);
        self.functions.iter().any(|function| problems(function).is_some())
    }

    /// Whether functions were watched, and some were called.
    pub fn was_watched(&self) -> bool {
        let calls = |function: &Function| function.observed.as_ref()?.calls;
        self.functions.iter().any(|function| calls(function).is_some())
    }

    /// Adds the observations of some functions, and the cost of a call if it is known.
    pub fn observe(&mut self, seen: &[(FrameId, Observed)], cost: Option<CallCost>) {
        let for_each_call = cost.as_ref().and_then(|cost| Some(cost.microseconds / cost.cpu_per_request?));
        for (id, observed) in seen {
            let Some(function) = self.functions.iter_mut().find(|function| function.id == *id) else { continue };
            if let Some((cost, calls)) = for_each_call.zip(observed.calls) {
                function.rewrite.crossing = cost * calls;
            }
            if function.hindrance.is_none() {
                function.hindrance = match (&observed.problems, observed.calls) {
                    (Some(problems), _) if !problems.is_empty() => Some(Hindrance::CannotCross(problems.clone())),
                    (_, Some(calls)) if function.rewrite.crossing >= function.owned.value => {
                        Some(Hindrance::Crossings { calls })
                    }
                    _ => None,
                };
            }
            // One of the two may come from the source, the other from single requests.
            let before = function.observed.take();
            function.observed = Some(match before {
                None => observed.clone(),
                Some(before) => Observed {
                    calls: observed.calls.or(before.calls),
                    problems: observed.problems.clone().or(before.problems),
                },
            });
        }
        if cost.is_some() {
            self.call_cost = cost;
        }
        self.cheapest_first();
    }

    /// Moves the candidate with the largest bound to the front, if crossings are expensive for the first one: it may be
    /// called so often that moving its caller gains more.
    fn cheapest_first(&mut self) {
        let is_candidate = |place: &usize| self.functions[*place].hindrance.is_none();
        let candidates: Vec<usize> = (0..self.functions.len()).filter(is_candidate).collect();
        let Some(&first) = candidates.first() else { return };
        if self.functions[first].rewrite.crossing <= DEAR * self.functions[first].owned.value {
            return;
        }
        let bound = |place: usize| Bound::new(self.functions[place].owned, self.functions[place].rewrite).value;
        // Reversed, as `max_by` returns the last of equals and the first is wanted.
        let best = candidates.into_iter().rev().max_by(|one, other| bound(*one).total_cmp(&bound(*other)));
        if let Some(best) = best {
            self.functions[first..=best].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::profile, *};
    use crate::rank;

    fn cost() -> CallCost {
        CallCost {
            microseconds: 0.5,
            cpu_per_request: Some(100.0),
            variant: "3:native".into(),
            measured: "here".into(),
        }
    }

    fn observed(lines: &[(&str, u32)], seen: &[(&str, f64, &[&str])]) -> Ranking {
        let mut ranking = rank(&profile(lines));
        let id = |name: &str| ranking.functions.iter().find(|one| one.frame.function == name).unwrap().id;
        let observed = |(name, calls, problems): &(&str, f64, &[&str])| {
            (
                id(name),
                Observed { calls: Some(*calls), problems: Some(problems.iter().map(|&why| why.to_owned()).collect()) },
            )
        };
        let seen: Vec<_> = seen.iter().map(observed).collect();
        ranking.observe(&seen, Some(cost()));
        ranking
    }

    fn first(ranking: &Ranking) -> (&str, f64) {
        let first = ranking.candidates().next().unwrap();
        (&first.frame.function, (Bound::new(first.owned, first.rewrite).value * 100.0).round() / 100.0)
    }

    #[test]
    fn the_bound_includes_the_cost_of_calls() {
        let lines = [("own:main own:hot", 80), ("rt:listen", 20)];
        // Calculated by hand: 1 / (0.2 + 2 * 0.5 / 100).
        let ranking = observed(&lines, &[("hot", 2.0, &[])]);
        assert_eq!(first(&ranking), ("hot", 4.76));
        assert_eq!(first(&observed(&lines, &[("hot", 0.0, &[])])), ("hot", 5.0));
        // Without the CPU of a request, the share of a call is unknown.
        let mut unknown = rank(&profile(&lines));
        let id = unknown.functions[0].id;
        let observed = Observed { calls: Some(2.0), problems: Some(Vec::new()) };
        unknown.observe(&[(id, observed)], Some(CallCost { cpu_per_request: None, ..cost() }));
        assert_eq!(first(&unknown).1, 5.0);
    }

    #[test]
    fn the_caller_of_a_function_that_is_called_too_often_comes_first() {
        let lines = [("rt:listen own:handler own:hot", 75), ("rt:listen own:handler", 5), ("rt:listen", 20)];
        let dear = observed(&lines, &[("hot", 20.0, &[]), ("handler", 1.0, &[])]);
        assert_eq!(first(&dear), ("handler", 4.88));
        let cheap = observed(&lines, &[("hot", 2.0, &[]), ("handler", 1.0, &[])]);
        assert_eq!(first(&cheap).0, "hot");
        let more_than_it_takes = observed(&lines, &[("hot", 150.0, &[]), ("handler", 1.0, &[])]);
        let hot = more_than_it_takes.functions.iter().find(|one| one.frame.function == "hot").unwrap();
        assert_eq!(hot.hindrance, Some(Hindrance::Crossings { calls: 150.0 }));
    }

    #[test]
    fn declarations_count_without_calls() {
        let mut ranking = rank(&profile(&[("rt:listen own:hot", 60), ("rt:listen own:other", 20), ("rt:listen", 20)]));
        let [hot, other] = ["hot", "other"].map(|name| {
            let found = ranking.functions.iter().find(|one| one.frame.function == name);
            found.unwrap().id
        });
        let declared = |problems: &[&str]| Observed {
            calls: None,
            problems: Some(problems.iter().map(|&why| why.to_owned()).collect()),
        };
        ranking.observe(&[(hot, declared(&["its argument `request` is a socket"])), (other, declared(&[]))], None);
        assert_eq!(first(&ranking), ("other", 1.25));
        assert!(ranking.knows_types() && !ranking.was_watched());

        // Calls counted later are added; a function without a count keeps only its declared types.
        ranking.observe(&[(other, Observed { calls: Some(4.0), problems: None })], Some(cost()));
        let seen = ranking.functions.iter().find(|one| one.id == other).unwrap().observed.clone();
        assert_eq!(seen, Some(Observed { calls: Some(4.0), problems: Some(Vec::new()) }));
        assert!(first(&ranking).1 < 1.25 && ranking.was_watched());
    }

    #[test]
    fn a_function_whose_arguments_cannot_cross_is_not_a_candidate() {
        let lines = [("rt:listen own:handler own:hot", 75), ("rt:listen own:handler", 15), ("rt:listen", 10)];
        let ranking = observed(&lines, &[("handler", 1.0, &["its argument `request` is a socket"]), ("hot", 1.0, &[])]);
        assert_eq!(first(&ranking).0, "hot");
    }
}
