//! Before anything is measured: does every row answer the requests as the reference does? What is right in each row's
//! own answers is what the load is verified against later.

use std::time::Duration;

use bytes::Bytes;
use tierup_requests::Request;

use crate::{
    load::{Answer, Content, Expectation, InvalidRequest, Prepared, ask},
    record::{Check, Trouble},
    subject::Running,
};

/// Compares two answers to one request.
pub trait Comparator {
    /// What is different, in words; `None` where they are alike.
    fn difference(&mut self, request: &Request, reference: &Answer, candidate: &Answer) -> Option<String>;

    /// How it compares, in a few words, e.g. `status and body`.
    fn how(&self) -> String;
}

/// One row's answers.
#[derive(Debug, Clone)]
pub(crate) struct Examined {
    pub(crate) answers: Vec<Answer>,
    /// Whether an answer differed when the same was asked again.
    varies: bool,
}

/// How many requests are asked at a time.
const WIDTH: usize = 8;
/// How many are asked again, to see whether a server's answers change by themselves.
const AGAIN: usize = 32;

/// A server's requests, as they are sent to it.
pub(crate) fn prepare(requests: &[Request], authority: &str) -> Result<Vec<Prepared>, InvalidRequest> {
    let prepare =
        |request: &Request| Prepared::new(&request.method, &request.target, &request.headers, &request.body, authority);
    requests.iter().map(prepare).collect()
}

/// Asks everything once, and some of it twice.
pub(crate) fn examine(
    running: &mut dyn Running,
    requests: &[Request],
    patience: Duration,
) -> Result<Examined, Trouble> {
    let trouble = |what: String, running: &dyn Running| Trouble { what, log: running.log() };
    let prepared = prepare(requests, &running.authority()).map_err(|error| trouble(error.to_string(), running))?;
    let address = running.address();
    let all = ask(address, &prepared, WIDTH, patience)
        .and_then(|answers| Ok((answers, ask(address, &prepared[..prepared.len().min(AGAIN)], WIDTH, patience)?)));
    let (first, again) = all.map_err(|error| trouble(error.to_string(), running))?;
    let mut answers = Vec::with_capacity(first.len());
    for (answer, request) in first.into_iter().zip(requests) {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(why) => {
                let ended = running.ended().map(|how| format!("; {how}")).unwrap_or_default();
                return Err(trouble(format!("{} {}: {why}{ended}", request.method, short(&request.target)), running));
            }
        }
    }
    let varies = again.iter().zip(&answers).any(|(again, once)| again.as_ref() != Ok(once));
    Ok(Examined { answers, varies })
}

impl Examined {
    /// What the load is verified against.
    pub(crate) fn expected(&self, which: &[usize]) -> Vec<Expectation> {
        let expectation = |index: &usize| {
            let answer = &self.answers[*index];
            let content = if self.varies { Content::Varies } else { Content::Exactly(answer.body.clone()) };
            Expectation { status: answer.status, content }
        };
        which.iter().map(expectation).collect()
    }

    /// Bodies that are the reference's are kept once.
    pub(crate) fn share(&mut self, reference: &Examined) {
        for (mine, theirs) in self.answers.iter_mut().zip(&reference.answers) {
            if mine.body == theirs.body {
                mine.body = Bytes::clone(&theirs.body);
            }
        }
    }

    pub(crate) fn compare(&self, reference: &Examined, requests: &[Request], comparator: &mut dyn Comparator) -> Check {
        let mut different = 0;
        let mut first = None;
        for ((request, theirs), mine) in requests.iter().zip(&reference.answers).zip(&self.answers) {
            if let Some(difference) = comparator.difference(request, theirs, mine) {
                different += 1;
                first.get_or_insert_with(|| format!("{} {}: {difference}", request.method, short(&request.target)));
            }
        }
        let compared = self.answers.len();
        match first {
            Some(first) => Check::Different { different, compared, first },
            None => Check::Same { compared, how: comparator.how() },
        }
    }
}

/// A target that fits on a line.
fn short(target: &str) -> String {
    const MOST: usize = 60;
    match target.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &target[..end]),
        None => target.to_owned(),
    }
}
