//! Whether two servers answer alike, by the rules of the project's `[check]`.

use std::path::PathBuf;

use tierup_bench::check;
use tierup_parity::{Comparator, Finding, Observation, Seen, compare, wants_meaning};
use tierup_requests::Request;
use tierup_subject::Answer;

use super::meanings::{MOST_PROCESSES, Meanings};
use crate::project::{CheckSettings, Normalizer};

pub(crate) struct Comparison {
    check: CheckSettings,
    meanings: Meanings,
}

impl Comparison {
    pub(crate) fn new(check: CheckSettings, folder: PathBuf) -> Comparison {
        Comparison { meanings: Meanings::new(&check, folder), check }
    }
}

impl check::Comparator for Comparison {
    fn difference(&mut self, request: &Request, reference: &Answer, candidate: &Answer) -> Option<String> {
        let (mut theirs, mut mine) = (observation(reference, None), observation(candidate, None));
        let policy = self.check.policy_for(&request.target);
        if wants_meaning(&theirs, &mine, &policy) {
            // Beyond the first ones bodies are not looked at: `how` says so.
            let (of_theirs, of_mine) = self.meanings.of(&reference.body, &candidate.body)?;
            (theirs, mine) = (observation(reference, Some(of_theirs)), observation(candidate, Some(of_mine)));
        }
        match compare(&theirs, &mine, &policy) {
            Finding::Same | Finding::Skipped(_) => None,
            Finding::Error(why) => Some(why),
            Finding::Mismatch(differences) => differences.list.first().map(ToString::to_string),
        }
    }

    fn how(&self) -> String {
        let bodies = match &self.check.policy.bodies {
            Comparator::Exact => "body, byte for byte".to_owned(),
            Comparator::Status => return "status and content type; not the body".to_owned(),
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
        };
        format!("status, content type and {bodies}")
    }
}

/// Status, content type and body: a benchmark leaves other headers to `tierup check`.
fn observation(answer: &Answer, meaning: Option<Result<Vec<u8>, String>>) -> Observation {
    let answer = tierup_parity::Answer {
        status: answer.status,
        content_type: answer.content_type().map(str::to_owned),
        body: answer.body.to_vec(),
        meaning,
        ..tierup_parity::Answer::default()
    };
    Observation::of(Seen::Answer(answer))
}
