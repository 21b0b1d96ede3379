//! Turns `[rollout]` into a judge's plan. In: the settings, and the available evidence. Out: a [`Plan`], and notes for
//! the operator.

use std::{collections::BTreeMap, time::Duration};

use tierup_rollout::{Part, Plan, Treatment};

use super::{RolloutSettings, Through};

/// The longest time for which copies are compared before the first step. The number of answers may prolong it.
const WARM_UP: Duration = Duration::from_secs(60);

/// The evidence that a judge has.
#[derive(Debug, Clone, Copy)]
pub struct Available {
    /// A control process was started together with the candidate.
    pub twin: bool,
    /// There are calls with a known right answer.
    pub golden: bool,
    /// The project's calls to other services are recorded.
    pub calls: bool,
}

impl RolloutSettings {
    /// The plan for these servers, and notes.
    pub fn plan(&self, available: Available) -> (Plan, Vec<String>) {
        let mut notes = Vec::new();
        if !available.twin {
            notes.push(
                "there is no twin: slowness holds and never rolls back, and noise is not told from differences"
                    .to_owned(),
            );
        }
        let is_attributed = self.isolated || (available.calls && self.attribute.is_some());
        let mut routes = BTreeMap::new();
        for route in &self.routes {
            let name = route.to_string();
            if !is_attributed {
                notes.push(format!(
                    "{name} stays with the control: its effects are not attributable (set `attribute` or `isolated`)"
                ));
            }
            routes.insert(name, if is_attributed { Treatment::Effects } else { Treatment::ControlOnly });
        }
        // A load balancer shares only GET and HEAD, so other safe requests are judged by their copies alone.
        let safe = if self.through == Through::Tierup { Treatment::Safe } else { Treatment::Effects };
        routes.extend(self.safe.iter().map(|route| (route.to_string(), safe)));
        let plan = Plan {
            hold: self.hold.as_secs().max(1),
            warm_up: self.hold.min(WARM_UP).as_secs().max(1),
            // The share is above zero, so the number of answers is finite.
            least: tierup_stats::least_answers(self.tolerated.fraction()).unwrap_or(u64::MAX),
            margin: self.margin,
            mismatches: self.mismatches.fraction(),
            has_twin: available.twin,
            has_second: available.twin && self.second > Part::NONE,
            // A load balancer passes none of the candidate's answers through a proxy that could verify them.
            verifies: self.verify > Part::NONE && self.through == Through::Tierup,
            has_golden: available.golden,
            routes,
            denied: self.deny.clone(),
            steps: self.steps.clone(),
            ..Plan::default()
        };
        (plan, notes)
    }
}
