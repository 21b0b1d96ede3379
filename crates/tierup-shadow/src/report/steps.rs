//! The weights over time, and why they changed. In: what proxies saw, and the judge's journal. Out: both in order of
//! time.

use serde::{Deserialize, Serialize};
use tierup_rollout::{Part, Phase, Weights};

use crate::summary::{Change, Summary};

/// A proxy follows the control file within this many milliseconds.
const SOON: u64 = 60_000;

/// Weights that came into force, or a decision of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// In milliseconds since 1970.
    pub at: u64,
    pub ramp: Option<String>,
    pub generation: u64,
    pub candidate: Part,
    /// The phase that a proxy saw; `None` for a decision.
    pub phase: Option<Phase>,
    /// The judge's decision; `None` for weights that a proxy saw.
    pub decision: Option<String>,
    pub reasons: Vec<String>,
}

/// A line of the judge's journal, `decisions.jsonl`. Its other fields are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Decision {
    /// In seconds since 1970.
    pub at: u64,
    #[serde(default)]
    pub ramp: Option<String>,
    #[serde(default)]
    pub generation: u64,
    pub decision: String,
    pub weight: Part,
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// All steps in order of time, without changes that another proxy also saw or that a decision explains.
pub(super) fn steps(summary: &Summary, decisions: &[Decision]) -> Vec<Step> {
    let mut changes: Vec<&Change> = summary.changes.iter().collect();
    changes.sort_by_key(|change| change.at);
    changes.dedup_by(|change, before| change.is_like(before));
    let is_explained = |change: &Change| {
        decisions.iter().any(|decision| {
            let is_soon = change.at.abs_diff(decision.at.saturating_mul(1000)) < SOON;
            is_soon && decision.generation == change.generation && decision.ramp == change.ramp
        })
    };
    // Before the first control file there are no steps.
    let is_nothing = |change: &&Change| change.ramp.is_none() && change.weights == Weights::CONTROL_ONLY;
    let changes = changes.into_iter().skip_while(is_nothing).filter(|change| !is_explained(change));
    let changes = changes.map(|change| Step {
        at: change.at,
        ramp: change.ramp.clone(),
        generation: change.generation,
        candidate: change.weights.candidate,
        phase: change.phase,
        decision: None,
        reasons: Vec::new(),
    });
    let decisions = decisions.iter().map(|decision| Step {
        at: decision.at.saturating_mul(1000),
        ramp: decision.ramp.clone(),
        generation: decision.generation,
        candidate: decision.weight,
        phase: None,
        decision: Some(decision.decision.clone()),
        reasons: decision.reasons.clone(),
    });
    let mut steps: Vec<Step> = changes.chain(decisions).collect();
    steps.sort_by_key(|step| step.at);
    steps
}

#[cfg(test)]
mod tests {
    use tierup_rollout::evidence::{Entry, Line, Slot};

    use super::*;

    #[test]
    fn weights_are_listed_once_with_the_decisions_that_explain_them() {
        let mut summary = Summary::default();
        // There are two proxies. Between the ramp's steps, its control file was stale.
        for _proxy in 0..2 {
            summary.next_proxy();
            for (at, generation, weight) in [(5, 0, "0%"), (10, 1, "1%"), (15, 1, "1%"), (200, 0, "0%"), (300, 2, "5%")]
            {
                let weights = Weights::with_twin(weight.parse().expect("a part"));
                let ramp = (generation > 0).then(|| "3f2a9c01".to_owned());
                let slot = Slot { ramp, generation, weights, ..Slot::default() };
                summary.take(&Line { number: 1, at: at * 1000, entry: Entry::Slot(slot) });
            }
        }
        let decision = Decision {
            at: 299,
            ramp: Some("3f2a9c01".to_owned()),
            generation: 2,
            decision: "advance".to_owned(),
            weight: "5%".parse().expect("a part"),
            reasons: vec!["3,000 answers".to_owned()],
        };
        let steps = steps(&summary, &[decision]);
        let told = steps.iter().map(|step| (step.at / 1000, step.candidate.to_string(), step.decision.is_some()));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [(10, "1%".to_owned(), false), (200, "0%".to_owned(), false), (299, "5%".to_owned(), true)]
        );
    }
}
