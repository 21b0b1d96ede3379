//! What a ramp does and what it tolerates: `[rollout]`, with all defaults filled in.

use std::collections::BTreeMap;

use glob::{MatchOptions, Pattern};
use serde::{Deserialize, Serialize};

use crate::weights::Part;

/// The plan of one ramp. It does not change while the ramp runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The candidate's weights, in rising order: above 0, and at most [`Part::MOST`].
    pub steps: Vec<Part>,
    /// The least time at each step, in seconds.
    pub hold: u64,
    /// The least time, in seconds, for which the candidate gets copies before the first step.
    pub warm_up: u64,
    /// How many answers each step needs from each route that has more than 1 % of the traffic: see
    /// [`tierup_stats::least_answers`].
    pub least: u64,
    /// The probability with which an equal candidate may be rolled back, over the whole ramp.
    pub alpha: f64,
    /// How many times control's bad answers the candidate may give.
    pub margin: f64,
    /// How many times as long as the twin's the candidate's answers may take.
    pub slower: f64,
    /// The part of the answers that may differ, if confirmed. With 0, confirmed differences end the ramp.
    pub mismatches: f64,
    /// Whether a twin takes part: a control process that was started with the candidate and has the same weight.
    pub has_twin: bool,
    /// Whether a part of the copies goes to a second control process. If that is the twin, and it gets half of them,
    /// then candidate and twin get equal copies, and their latencies show whether the candidate is slower.
    pub has_second: bool,
    /// Whether a part of the candidate's answers is mirrored back to control.
    pub verifies: bool,
    /// Whether there are golden calls.
    pub has_golden: bool,
    /// The routes whose treatment does not follow from their method: see [`Plan::treatment`].
    pub routes: BTreeMap<String, Treatment>,
    /// Patterns of paths that are never copied: `/logout`, `/once/*`, `/admin/**`.
    pub denied: Vec<String>,
}

/// How a route takes part in a ramp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// The route changes nothing: before the first step its copies are compared, then the candidate's answers count.
    Safe,
    /// The route has effects that can be attributed: only copies count, at every step.
    Effects,
    /// The route changes nothing, but its answers cannot be compared: an endless stream, for example.
    LiveOnly,
    /// The route stays with control, as its effects cannot be attributed, or as it is denied.
    ControlOnly,
}

/// Why a plan cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error("steps must rise, from above 0%: {0} comes after {1}")]
    Steps(Part, Part),
    #[error("steps end at 99% at most, got {0}: `tierup ramp finish` gives the candidate the rest")]
    NoHoldBack(Part),
    #[error("there are no steps")]
    NoSteps,
    #[error("`least` must be at least 1")]
    Least,
    #[error("`{0}` must be a probability above 0 and below 1, got {1}")]
    Probability(&'static str, f64),
    #[error("`{0}` must be a ratio of at least 1, got {1}")]
    Ratio(&'static str, f64),
}

impl Default for Plan {
    /// Steps of 1, 5, 25, 50 and 99 %, each for at least ten minutes, as the documentation describes.
    fn default() -> Plan {
        let step = |parts| Part::of_ten_thousand(parts).unwrap_or_default();
        Plan {
            steps: [100, 500, 2_500, 5_000, 9_900].map(step).to_vec(),
            hold: 600,
            warm_up: 60,
            // With this many answers, a rate of one bad answer in a thousand shows with a probability of 95 %.
            least: 3_000,
            alpha: 0.01,
            margin: 1.25,
            slower: 1.05,
            mismatches: 0.0,
            has_twin: true,
            has_second: true,
            verifies: true,
            has_golden: true,
            routes: BTreeMap::new(),
            denied: Vec::new(),
        }
    }
}

impl Plan {
    /// # Errors
    /// If the steps do not rise, or a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        if self.steps.is_empty() {
            return Err(PlanError::NoSteps);
        }
        let mut before = Part::NONE;
        for step in &self.steps {
            if *step <= before {
                return Err(PlanError::Steps(*step, before));
            }
            before = *step;
        }
        if before > Part::MOST {
            return Err(PlanError::NoHoldBack(before));
        }
        if self.least == 0 {
            return Err(PlanError::Least);
        }
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(PlanError::Probability("alpha", self.alpha));
        }
        if !(0.0..1.0).contains(&self.mismatches) {
            return Err(PlanError::Probability("mismatches", self.mismatches));
        }
        for (name, ratio) in [("margin", self.margin), ("slower", self.slower)] {
            if !(ratio >= 1.0 && ratio.is_finite()) {
                return Err(PlanError::Ratio(name, ratio));
            }
        }
        Ok(())
    }

    /// How a route is treated. By default, GET and HEAD change nothing (RFC 9110, section 9.2.1), and effects of all
    /// other methods cannot be attributed.
    pub fn treatment(&self, route: &str) -> Treatment {
        let (method, path) = route.split_once(' ').unwrap_or_default();
        let by_method = if matches!(method, "GET" | "HEAD") { Treatment::Safe } else { Treatment::ControlOnly };
        match self.routes.get(route).copied().unwrap_or(by_method) {
            Treatment::Safe if self.denies(path) => Treatment::LiveOnly,
            treatment => treatment,
        }
    }

    fn denies(&self, path: &str) -> bool {
        let options = MatchOptions { case_sensitive: false, require_literal_separator: true, ..MatchOptions::new() };
        let patterns = self.denied.iter().filter_map(|text| Pattern::new(text).ok());
        patterns.into_iter().any(|pattern| pattern.matches_with(path, options))
    }

    /// Whether slowness can roll back. Without a twin that gets copies by chance, it can only hold the weight.
    pub(super) fn judges_slowness(&self) -> bool {
        self.has_twin && self.has_second
    }

    /// Whether this is the weight of the last step.
    pub fn is_last(&self, weight: Part) -> bool {
        self.steps.last() == Some(&weight)
    }

    /// The weight of the step after this weight, if there is one.
    pub(crate) fn after(&self, weight: Part) -> Option<Part> {
        self.steps.iter().copied().find(|step| *step > weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_cannot_be_carried_out_is_refused() {
        assert_eq!(Plan::default().check(), Ok(()));
        let half = Plan::default().steps[3];
        let refused = |plan: Plan| plan.check().expect_err("it is wrong").to_string();
        assert_eq!(refused(Plan { steps: vec![], ..Plan::default() }), "there are no steps");
        assert_eq!(
            refused(Plan { steps: vec![half, half], ..Plan::default() }),
            "steps must rise, from above 0%: 50% comes after 50%"
        );
        assert!(Plan { steps: vec![Part::NONE], ..Plan::default() }.check().is_err());
        let all = refused(Plan { steps: vec![half, Part::ALL], ..Plan::default() });
        assert!(all.starts_with("steps end at 99% at most, got 100%"), "{all}");
        assert!(Plan { least: 0, ..Plan::default() }.check().is_err());
        for wrong in [f64::NAN, 0.0, 1.0, -0.1] {
            assert!(Plan { alpha: wrong, ..Plan::default() }.check().is_err());
            assert!(wrong == 0.0 || Plan { mismatches: wrong, ..Plan::default() }.check().is_err());
        }
        for wrong in [f64::NAN, 0.9, f64::INFINITY] {
            assert!(Plan { margin: wrong, ..Plan::default() }.check().is_err());
            assert!(Plan { slower: wrong, ..Plan::default() }.check().is_err());
        }
    }

    #[test]
    fn unsafe_methods_stay_with_control_unless_the_plan_names_the_route() {
        let plan = Plan { routes: BTreeMap::from([("POST /sum".into(), Treatment::Effects)]), ..Plan::default() };
        assert_eq!(plan.treatment("GET /a"), Treatment::Safe);
        assert_eq!(plan.treatment("POST /sum"), Treatment::Effects);
        assert_eq!(plan.treatment("POST /other"), Treatment::ControlOnly);
    }

    #[test]
    fn denied_paths_are_not_waited_for() {
        let denied = ["/logout", "/once/*", "/admin/**"].map(str::to_owned).to_vec();
        let routes = BTreeMap::from([("POST /once/*".into(), Treatment::Safe), ("POST /sum".into(), Treatment::Safe)]);
        let plan = Plan { denied, routes, ..Plan::default() };
        for route in ["POST /once/*", "GET /logout", "HEAD /Logout", "GET /once/*", "GET /admin/a/b"] {
            assert_eq!(plan.treatment(route), Treatment::LiveOnly, "{route}");
        }
        for route in ["GET /", "GET /once/a/b", "GET (others)", "POST /sum"] {
            assert_eq!(plan.treatment(route), Treatment::Safe, "{route}");
        }
    }
}
