//! Compares the answers of two measured servers by the rules of the project's `[check]`.

use tierup_bench::examine::Comparator;
use tierup_check::Comparison;
use tierup_parity::{Finding, Observation, Seen};
use tierup_requests::Request;
use tierup_subject::Answer;

/// Compares answers in a benchmark.
pub struct Answers(pub Comparison);

impl Comparator for Answers {
    fn difference(&mut self, request: &Request, reference: &Answer, candidate: &Answer) -> Option<String> {
        // A normalizer gets only a limited number of bodies, as `how` says. The others are skipped.
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

/// Keeps status, content type and decoded body. A benchmark leaves other headers to `tierup check`.
fn observation(answer: &Answer) -> Observation {
    let answer = answer.clone().observed(String::new()).decoded();
    Observation::new(Seen::Answer(tierup_parity::Answer { headers: Vec::new(), ..answer }))
}

#[cfg(test)]
mod tests {
    use tierup_project::CheckSettings;

    use super::*;

    #[test]
    fn answers_with_different_compression_are_alike() {
        let answer = |coding: &str, body: &'static [u8]| Answer {
            status: 200,
            headers: vec![("content-encoding".to_owned(), coding.to_owned())],
            body: body.into(),
        };
        // `ok ok ok ok ok` in two gzip encodings, and uncompressed.
        let stored = b"\x1f\x8b\x08\0\0\0\0\0\x04\x03\x01\x0e\0\xf1\xffok ok ok ok ok\x3f\x55\xf8\xe2\x0e\0\0\0";
        let compressed = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcb\xcf\x56\xc8\x47\x20\0\x3f\x55\xf8\xe2\x0e\0\0\0";
        let templates = tierup_requests::Templates::parse("a.http", "GET /a\n").expect("it is one");
        let moment = tierup_requests::Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
        let set = templates.expand(1, 1, &tierup_requests::Context::new(moment)).expect("it has no variables");
        let mut answers = Answers(Comparison::new(CheckSettings::default(), std::path::PathBuf::new()));
        let mut difference = |other: &Answer| answers.difference(&set.requests[0], &answer("gzip", stored), other);
        assert_eq!(difference(&answer("gzip", compressed)), None);
        assert_eq!(difference(&answer("identity", b"ok ok ok ok ok")), None);
        assert!(difference(&answer("identity", b"ok ok ok ok no")).is_some());
    }
}
