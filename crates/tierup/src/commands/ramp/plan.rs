//! The plan of a ramp: `[rollout]`, overridden by flags. In: both, and the servers. Out: a [`Plan`] for the judge, and
//! the options for the proxies.

use std::time::Duration;

use clap::Args;
use tierup_project::{Available, Loaded, RolloutSettings, quantities};
use tierup_ramp::{Keeping, Options};
use tierup_rollout::{Part, Plan};

#[derive(Args, Default)]
pub(super) struct Flags {
    /// The candidate's weights, rising to at most 99% [default: `steps` of [rollout], else 1%,5%,25%,50%,99%]
    #[arg(long, value_delimiter = ',', value_name = "PART,…")]
    steps: Vec<Part>,
    /// The least time of a step [default: `hold` of [rollout], else 10m]
    #[arg(long, value_name = "TIME", value_parser = quantities::duration)]
    hold: Option<Duration>,
    /// The rate of bad answers that a step must be able to see: it takes 3 / rate answers [default: `tolerated` of
    /// [rollout], else 0.1%]
    #[arg(long, value_name = "PART")]
    tolerated: Option<Part>,
    /// The part of the answers that may differ; at 0% a difference that is confirmed on several requests of several clients
    /// ends the ramp [default: `mismatches` of [rollout], else 0%]
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

    /// The options that the control file gives the proxies, in addition to the weights.
    /// `advises` says whether another program owns the weights.
    pub(super) fn options(&self, loaded: Option<&Loaded>, advises: bool) -> Options {
        let RolloutSettings { sample, second, verify, .. } = self.settings(loaded);
        Options { sample, second, verify, keeping: Keeping::default(), advises }
    }

    /// The plan for these servers, and notes for the operator.
    pub(super) fn plan(&self, loaded: Option<&Loaded>, twin: bool, golden: bool) -> (Plan, Vec<String>) {
        let calls = loaded.is_some_and(|loaded| loaded.downstream.is_some());
        let (plan, mut notes) = self.settings(loaded).plan(Available { twin, golden, calls });
        notes.extend(loaded.and_then(Loaded::undeclared));
        (plan, notes)
    }
}
