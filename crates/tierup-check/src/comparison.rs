//! Compares observations by the rules of a project's `[check]`.

use std::{borrow::Cow, path::PathBuf};

use bytes::Bytes;
use tierup_parity::{Comparator, Finding, Noise, Observation, Policy, Seen, compare, wants_meaning};
use tierup_project::{CheckSettings, Normalizer};

use super::meanings::{MOST_PROCESSES, Meanings};

/// Decides whether two observations are alike, by each request's policy and the normalizer's output for the bodies.
pub struct Comparison {
    check: CheckSettings,
    meanings: Meanings,
}

impl Comparison {
    /// `folder` is the normalizer's working directory, if there is one.
    pub fn new(check: CheckSettings, folder: PathBuf) -> Comparison {
        Comparison { meanings: Meanings::new(&check, folder), check }
    }

    /// Compares two observations by the policy of this request target, or of function calls if it is `None`.
    pub fn find(&mut self, target: Option<&str>, control: &Observation, candidate: &Observation) -> Finding {
        let policy = self.policy(target).into_owned();
        if !wants_meaning(control, candidate, &policy) {
            return compare(control, candidate, &policy);
        }
        match self.with_meanings(control, candidate) {
            Some((control, candidate)) => compare(&control, &candidate, &policy),
            None => match compare(control, candidate, &policy) {
                Finding::Error(_) => Finding::Skipped(self.unasked().to_owned()),
                // A difference in calls to other services counts even without the normalizer.
                found => found,
            },
        }
    }

    /// The differences between the control's own two answers.
    pub fn noise(&mut self, target: Option<&str>, first: &Observation, second: &Observation) -> Noise {
        let policy = self.policy(target).into_owned();
        match wants_meaning(first, second, &policy).then(|| self.with_meanings(first, second)).flatten() {
            Some((first, second)) => Noise::between(&first, &second, &policy),
            None => Noise::between(first, second, &policy),
        }
    }

    /// The policy of this request target, or of function calls if it is `None`.
    pub fn policy(&self, target: Option<&str>) -> Cow<'_, Policy> {
        target.map_or(Cow::Borrowed(&self.check.policy), |target| self.check.policy_for(target))
    }

    /// How bodies are compared, in a few words, e.g. `body, as JSON`; `None` if they are not compared.
    pub fn of_bodies(&self) -> Option<String> {
        Some(match &self.check.policy.bodies {
            Comparator::Exact => "body, byte for byte".to_owned(),
            Comparator::Status => return None,
            Comparator::Text(_) => "body, as text".to_owned(),
            Comparator::Json(_) => "body, as JSON".to_owned(),
            Comparator::Normalized(words) => {
                let words = words.join(" ");
                match self.check.normalizer {
                    Normalizer::Frames => format!("the output of `{words}` for the body"),
                    Normalizer::EachBody => {
                        format!("the output of `{words}` for about the first {} bodies", MOST_PROCESSES / 2)
                    }
                }
            }
        })
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
