//! Compares the answers of two measured servers by the rules of the project's `[check]`.

use tierup_bench::examine::Comparator;
use tierup_check::Comparison;
use tierup_parity::{Finding, Observation, Seen};
use tierup_requests::Request;
use tierup_subject::Answer;

/// The comparison of answers in a benchmark.
pub struct Answers(pub Comparison);

impl Comparator for Answers {
    fn difference(&mut self, request: &Request, reference: &Answer, candidate: &Answer) -> Option<String> {
        // A normalizer is not asked about bodies without end: `how` says so.
        match self.0.find(Some(&request.target), &observation(reference), &observation(candidate)) {
            Finding::Same | Finding::Skipped(_) => None,
            Finding::Error(why) => Some(why),
            Finding::Mismatch(differences) => differences.list.first().map(ToString::to_string),
        }
    }

    fn how(&self) -> String {
        match self.0.of_bodies() {
            Some(bodies) => format!("status, content type and {bodies}"),
            None => "status and content type; not the body".to_owned(),
        }
    }
}

/// Status, content type and decoded body: a benchmark leaves other headers to `tierup check`.
fn observation(answer: &Answer) -> Observation {
    let answer = answer.clone().observed(String::new()).decoded();
    Observation::of(Seen::Answer(tierup_parity::Answer { headers: Vec::new(), ..answer }))
}
