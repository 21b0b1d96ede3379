//! The plan of a ramp: `[rollout]`, overruled by flags. In: both, and which servers there are. Out: a [`Plan`] for the
//! judge, and what the proxies are told.

use std::{collections::BTreeMap, time::Duration};

use clap::Args;
use tierup_project::{Loaded, RolloutSettings, Through, quantities};
use tierup_ramp::{Keeping, Options};
use tierup_rollout::{Part, Plan, Side, Treatment};

/// The longest time for which copies are compared before the first step, beside the number of answers that it needs.
const WARM_UP: Duration = Duration::from_secs(60);

#[derive(Args, Default)]
pub(super) struct Flags {
    /// The candidate's weights, rising to 100% [default: `steps` of [rollout], else 1%,5%,25%,50%,100%]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    steps: Vec<Part>,
    /// The least time of a step [default: `hold` of [rollout], else 10m]
    #[arg(long, value_name = "TIME", value_parser = quantities::duration)]
    hold: Option<Duration>,
    /// The rate of bad answers that a step must be able to see: it takes 3 / rate answers [default: `tolerated` of
    /// [rollout], else 0.1%]
    #[arg(long, value_name = "PART")]
    tolerated: Option<Part>,
    /// The part of the answers that may differ; at 0% one confirmed difference ends the ramp [default: `mismatches` of
    /// [rollout], else 0%]
    #[arg(long, value_name = "PART")]
    mismatches: Option<Part>,
}

impl Flags {
    fn settings(&self, loaded: Option<&Loaded>) -> RolloutSettings {
        let mut settings = loaded.map(|loaded| loaded.rollout.clone()).unwrap_or_default();
        if !self.steps.is_empty() {
            settings.steps.clone_from(&self.steps);
        }
        settings.hold = self.hold.unwrap_or(settings.hold);
        settings.tolerated = self.tolerated.unwrap_or(settings.tolerated);
        settings.mismatches = self.mismatches.unwrap_or(settings.mismatches);
        settings
    }

    /// What the proxies are told beside weights.
    pub(super) fn options(&self, loaded: Option<&Loaded>) -> Options {
        let RolloutSettings { sample, second, verify, .. } = self.settings(loaded);
        Options { sample, second, verify, keeping: Keeping::default() }
    }

    /// The plan for these servers, and what the operator should know about it.
    pub(super) fn plan(
        &self,
        loaded: Option<&Loaded>,
        sides: &BTreeMap<Side, String>,
        has_golden: bool,
    ) -> (Plan, Vec<String>) {
        let settings = self.settings(loaded);
        let mut notes = Vec::new();
        let has_twin = sides.contains_key(&Side::Twin);
        if !has_twin {
            notes.push(
                "there is no twin: slowness holds and never rolls back, and noise is not told from differences"
                    .to_owned(),
            );
        }
        let calls_others = loaded.is_some_and(|loaded| loaded.downstream.is_some());
        // Without `attribute`, a project's calls are attributed by lanes.
        let is_attributed = settings.isolated || calls_others;
        let mut routes = BTreeMap::new();
        for route in &settings.routes {
            let name = route.to_string();
            if !is_attributed {
                notes.push(format!(
                    "{name} stays with the control: its effects are not attributable (set `attribute` or `isolated`)"
                ));
            }
            routes.insert(name, if is_attributed { Treatment::Effects } else { Treatment::ControlOnly });
        }
        let plan = Plan {
            hold: settings.hold.as_secs().max(1),
            warm_up: settings.hold.min(WARM_UP).as_secs().max(1),
            // A part is above nothing, so it has a number of answers.
            least: tierup_stats::least_answers(settings.tolerated.fraction()).unwrap_or(u64::MAX),
            margin: settings.margin,
            mismatches: settings.mismatches.fraction(),
            has_twin,
            has_second: has_twin && settings.second > Part::NONE,
            // A load balancer sends none of the candidate's answers to a proxy.
            verifies: settings.verify > Part::NONE && settings.through == Through::Tierup,
            has_golden,
            routes,
            denied: settings.deny,
            steps: settings.steps,
            ..Plan::default()
        };
        (plan, notes)
    }
}
