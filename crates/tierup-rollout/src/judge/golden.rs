//! Golden calls: requests with a known answer, which both sides are asked for. In: their results. Out: whether the candidate
//! gave a wrong answer, and whether there is a right one that is recent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{decision::Reason, plan::Plan};

/// Golden calls are made every ten seconds; without one for so many seconds, a weight stays.
const OLD_GOLDEN: u64 = 30;

/// A call with a known answer, which both sides were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// By the judge's own time, in seconds.
    pub at: u64,
    pub call: String,
    /// What was wrong about the answers, in words.
    pub control: Result<(), String>,
    pub candidate: Result<(), String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Goldens {
    /// When one was right on both sides, by the judge's own time in seconds.
    right: Option<u64>,
    /// Calls that are wrong at control itself, and how.
    wrong_at_control: BTreeMap<String, String>,
}

impl Goldens {
    /// Returns why the ramp ends.
    pub(super) fn take(&mut self, golden: &Golden) -> Option<Reason> {
        match (&golden.control, &golden.candidate) {
            // The call says nothing about the candidate.
            (Err(words), _) => {
                self.wrong_at_control.insert(golden.call.clone(), words.clone());
                None
            }
            (Ok(()), candidate) => {
                self.wrong_at_control.remove(&golden.call);
                match candidate {
                    Ok(()) => {
                        self.right = Some(golden.at);
                        None
                    }
                    Err(words) => Some(Reason::GoldenWrong { call: golden.call.clone(), words: words.clone() }),
                }
            }
        }
    }

    pub(super) fn doubts(&self, plan: &Plan, now: u64) -> Vec<Reason> {
        let wrong = self.wrong_at_control.iter();
        let mut doubts: Vec<Reason> = wrong
            .map(|(call, words)| Reason::GoldenWrongAtControl { call: call.clone(), words: words.clone() })
            .collect();
        if plan.has_golden && doubts.is_empty() {
            // A call that is ahead of the time proves nothing either.
            match self.right.map(|right| now.abs_diff(right)) {
                None => doubts.push(Reason::NoGolden),
                Some(seconds) if seconds > OLD_GOLDEN => doubts.push(Reason::OldGolden { seconds }),
                Some(_) => {}
            }
        }
        doubts
    }
}
