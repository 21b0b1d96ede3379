//! Whether two servers answer alike, by the rules of the project's `[check]`.

use std::{collections::HashMap, path::PathBuf, time::Duration};

use bytes::Bytes;
use tierup_bench::{check, load};
use tierup_codegen::Command;
use tierup_parity::{Answer, Comparator, Finding, Observation, Policy, Seen, compare, wants_meaning};
use tierup_requests::Request;
use tierup_runner::{Error, feed};

/// How many pairs of bodies a normalizer is asked about: it is a process for each body.
const NORMALIZED: usize = 64;
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Comparison {
    policy: Policy,
    /// Where the normalizer runs.
    folder: PathBuf,
    /// What a body means, or why nobody knows.
    meanings: HashMap<Bytes, Result<Vec<u8>, String>>,
}

impl Comparison {
    pub(crate) fn new(policy: Policy, folder: PathBuf) -> Comparison {
        Comparison { policy, folder, meanings: HashMap::new() }
    }

    /// What the normalizer makes of a body. Bodies come again: every Rust tier has the same.
    fn meaning(&mut self, body: &Bytes) -> Option<Result<Vec<u8>, String>> {
        if let Some(known) = self.meanings.get(body) {
            return Some(known.clone());
        }
        let Comparator::Normalized(words) = &self.policy.bodies else { return None };
        let [program, rest @ ..] = &words[..] else { return None };
        if self.meanings.len() >= 2 * NORMALIZED {
            return None;
        }
        let command = Command { folder: self.folder.clone(), ..Command::new(program, rest.iter().map(String::as_str)) };
        let meaning = feed(&command, &self.folder, body, PATIENCE).map_err(|error| match error {
            Error::Failed { output, .. } if !output.is_empty() => output.join("; "),
            other => other.to_string(),
        });
        self.meanings.insert(body.clone(), meaning.clone());
        Some(meaning)
    }
}

impl check::Comparator for Comparison {
    fn difference(&mut self, _request: &Request, reference: &load::Answer, candidate: &load::Answer) -> Option<String> {
        let (mut theirs, mut mine) = (observation(reference, None), observation(candidate, None));
        if wants_meaning(&theirs, &mine, &self.policy) {
            // Beyond the first ones bodies are not looked at: `how` says so.
            theirs = observation(reference, Some(self.meaning(&reference.body)?));
            mine = observation(candidate, Some(self.meaning(&candidate.body)?));
        }
        match compare(&theirs, &mine, &self.policy) {
            Finding::Same | Finding::Skipped(_) => None,
            Finding::Error(why) => Some(why),
            Finding::Mismatch(differences) => differences.list.first().map(ToString::to_string),
        }
    }

    fn how(&self) -> String {
        let bodies = match &self.policy.bodies {
            Comparator::Exact => "body, to the byte".to_owned(),
            Comparator::Status => return "status and content type; not the body".to_owned(),
            Comparator::Text(_) => "body, as text".to_owned(),
            Comparator::Json(_) => "body, as JSON".to_owned(),
            Comparator::Normalized(words) => {
                format!("what `{}` makes of the body, for the first {NORMALIZED} or so", words.join(" "))
            }
        };
        format!("status, content type and {bodies}")
    }
}

fn observation(answer: &load::Answer, meaning: Option<Result<Vec<u8>, String>>) -> Observation {
    let load::Answer { status, content_type, body } = answer;
    let answer = Answer { status: *status, content_type: content_type.clone(), body: body.to_vec(), meaning };
    Observation::of(Seen::Answer(answer))
}
