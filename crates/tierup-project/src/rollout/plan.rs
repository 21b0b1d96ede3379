//! `[rollout]` as the plan of a judge. In: the settings, and what there is to judge by. Out: a [`Plan`], and what the operator
//! should know about it.

use std::{collections::BTreeMap, time::Duration};

use tierup_rollout::{Part, Plan, Treatment};

use super::{RolloutSettings, Through};

/// The longest time for which copies are compared before the first step, beside the number of answers that it needs.
const WARM_UP: Duration = Duration::from_secs(60);

/// What a judge has to judge by.
#[derive(Debug, Clone, Copy)]
pub struct Available {
    /// A control process that was started with the candidate.
    pub twin: bool,
    /// Calls whose right answer is known.
    pub golden: bool,
    /// The project's calls to others, which are recorded.
    pub calls: bool,
}

impl RolloutSettings {
    /// The plan for these servers.
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
        // A load balancer gives only GET and HEAD away, so of these only copies can count.
        let safe = if self.through == Through::Tierup { Treatment::Safe } else { Treatment::Effects };
        routes.extend(self.safe.iter().map(|route| (route.to_string(), safe)));
        let plan = Plan {
            hold: self.hold.as_secs().max(1),
            warm_up: self.hold.min(WARM_UP).as_secs().max(1),
            // A part is above nothing, so it has a number of answers.
            least: tierup_stats::least_answers(self.tolerated.fraction()).unwrap_or(u64::MAX),
            margin: self.margin,
            mismatches: self.mismatches.fraction(),
            has_twin: available.twin,
            has_second: available.twin && self.second > Part::NONE,
            // A load balancer sends none of the candidate's answers to a proxy.
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
