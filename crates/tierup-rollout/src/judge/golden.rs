//! Golden calls: requests with a known answer that both sides are sent. In: their results. Out: whether the candidate
//! gave a wrong answer, and whether there was a right one recently.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{decision::Reason, plan::Plan};

/// Golden calls are made every ten seconds. If none was right for this many seconds, the weight stays.
const OLD_GOLDEN: u64 = 30;

/// The result of a call with a known answer that both sides were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// In seconds, by the judge's clock.
    pub at: u64,
    pub call: String,
    /// What was wrong with each side's answer, in words.
    pub control: Result<(), String>,
    pub candidate: Result<(), String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Goldens {
    /// When both sides last gave a right answer, in seconds by the judge's clock.
    right: Option<u64>,
    /// Calls that control itself answers wrongly, with what was wrong.
    wrong_at_control: BTreeMap<String, String>,
}

impl Goldens {
    /// Takes in a result, and returns the reason to end the ramp, if there is one.
    pub(super) fn take(&mut self, golden: &Golden) -> Option<Reason> {
        match (&golden.control, &golden.candidate) {
            // If control is wrong, the call says nothing about the candidate.
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
            // A call from the future does not count as recent either.
            match self.right.map(|right| now.abs_diff(right)) {
                None => doubts.push(Reason::NoGolden),
                Some(seconds) if seconds > OLD_GOLDEN => doubts.push(Reason::OldGolden { seconds }),
                Some(_) => {}
            }
        }
        doubts
    }
}
