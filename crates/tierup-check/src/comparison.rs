//! Compares observations: the control's own two answers, then every other row's with the control's.

use std::borrow::Cow;

use bytes::Bytes;
use tierup_parity::{Finding, Noise, Observation, Policy, Seen, compare, wants_meaning};

use crate::{
    measure::Meanings,
    project::{CheckSettings, Normalizer},
};

/// The project's rules, and what its normalizer said so far.
pub(super) struct Rules<'a> {
    pub(super) check: &'a CheckSettings,
    pub(super) meanings: Meanings,
}

impl Rules<'_> {
    /// What comparing came to, by the policy of this request's target; `None` for a function's call.
    pub(super) fn find(&mut self, target: Option<&str>, control: &Observation, candidate: &Observation) -> Finding {
        let policy = self.policy(target);
        if !wants_meaning(control, candidate, &policy) {
            return compare(control, candidate, &policy);
        }
        match self.with_meanings(control, candidate) {
            Some((control, candidate)) => compare(&control, &candidate, &policy),
            None => match compare(control, candidate, &policy) {
                Finding::Error(_) => Finding::Skipped(self.unasked().to_owned()),
                // Calls to others differ all the same.
                found => found,
            },
        }
    }

    fn unasked(&self) -> &'static str {
        match self.check.normalizer {
            Normalizer::EachBody => {
                "the normalizer is a process for each body and was asked about enough of them (normalizer_frames lets \
                 it stay)"
            }
            Normalizer::Frames => "the normalizer was not run",
        }
    }

    /// What the control's own two answers differ in.
    pub(super) fn noise(&mut self, target: Option<&str>, first: &Observation, second: &Observation) -> Noise {
        let policy = self.policy(target);
        match wants_meaning(first, second, &policy).then(|| self.with_meanings(first, second)).flatten() {
            Some((first, second)) => Noise::between(&first, &second, &policy),
            None => Noise::between(first, second, &policy),
        }
    }

    /// The rules for a request to this target.
    pub(super) fn policy(&self, target: Option<&str>) -> Cow<'static, Policy> {
        let policy = target.map_or(Cow::Borrowed(&self.check.policy), |target| self.check.policy_for(target));
        Cow::Owned(policy.into_owned())
    }

    fn with_meanings(&mut self, one: &Observation, other: &Observation) -> Option<(Observation, Observation)> {
        let body = |observation: &Observation| observation.body().map(Bytes::copy_from_slice);
        let (of_one, of_other) = self.meanings.of(&body(one)?, &body(other)?)?;
        Some((with_meaning(one, of_one), with_meaning(other, of_other)))
    }
}

fn with_meaning(observation: &Observation, meaning: Result<Vec<u8>, String>) -> Observation {
    let mut with = observation.clone();
    match &mut with.seen {
        Seen::Answer(answer) => answer.meaning = Some(meaning),
        Seen::Call(call) => call.meaning = Some(meaning),
        Seen::Nothing(_) | Seen::Skipped(_) => {}
    }
    with
}
