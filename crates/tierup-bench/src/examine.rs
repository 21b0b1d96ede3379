//! Checks before measuring whether every row answers the requests as the reference does. The load is later verified
//! against each row's own answers.

use std::{
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tierup_requests::Request;
use tierup_subject::{Answer, Questions, Running, Trouble, ask, prepare, trouble_of, words};

use crate::{
    load::{Content, Expectation},
    record::Check,
};

/// Compares two answers to one request.
pub trait Comparator {
    /// The difference in words; `None` if the answers are alike.
    fn difference(&mut self, request: &Request, reference: &Answer, candidate: &Answer) -> Option<String>;

    /// How it compares, in a few words, e.g. `status and body`.
    fn how(&self) -> String;
}

/// How requests are sent to a server.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) requests: &'a [Request],
    /// How long each answer may take.
    pub(crate) patience: Duration,
    pub(crate) interrupted: &'a dyn Fn() -> bool,
}

/// One row's answers.
#[derive(Debug, Clone)]
pub(crate) struct Examined {
    pub(crate) answers: Vec<Answer>,
    /// The answers to the first requests when they were sent again, which may differ. Later requests are sent again
    /// only as load.
    again: Vec<Answer>,
}

/// How many requests are under way at a time.
const WIDTH: usize = 8;
/// About how long sending requests again may take. At least [`AGAIN`] are sent again.
const ASKED_AGAIN_FOR: Duration = Duration::from_secs(5);
const AGAIN: usize = 32;
/// The least time between the two answers to a request, as a time of day in an answer is often in whole seconds.
const APART: Duration = Duration::from_millis(1100);
/// How often the wait checks for an interruption.
const PAUSE: Duration = Duration::from_millis(20);

/// The load: the indices of the requests that are not refused, and the order in which they are sent.
pub(crate) fn load_of(answers: &[Answer], order: &[u32]) -> (Vec<usize>, Vec<u32>) {
    let load: Vec<usize> = (0..answers.len()).filter(|index| answers[*index].status < 400).collect();
    let place = |index: &u32| load.binary_search(&(*index as usize)).ok().map(|place| place as u32);
    let mut order: Vec<u32> = order.iter().filter_map(place).collect();
    if order.is_empty() {
        order = (0..load.len() as u32).collect();
    }
    (load, order)
}

/// Sends every request once, and as many of them again as there is time for.
pub(crate) fn examine(running: &mut dyn Running, asking: &Asking<'_>) -> Result<Examined, Trouble> {
    let Asking { requests, patience, interrupted } = *asking;
    let prepared = prepare(requests, &running.authority())
        .map_err(|error| Trouble { what: error.to_string(), log: running.log() })?;
    let address = running.address();
    let questions = |requests| Questions { address, requests, width: WIDTH, patience, interrupted };
    let began = Instant::now();
    let answers = ask(&questions(&prepared)).map_err(|why| trouble_of(running, &why, requests))?;
    let took = began.elapsed();

    // Counts from the last answer, as a server that has warmed up answers all of them faster than at first.
    let ended = Instant::now();
    while ended.elapsed() < APART && !interrupted() {
        thread::sleep(PAUSE);
    }
    let in_time = ASKED_AGAIN_FOR.as_secs_f64() / took.as_secs_f64().max(1e-6);
    let count = ((prepared.len() as f64 * in_time) as usize).max(AGAIN).min(prepared.len());
    let again = ask(&questions(&prepared[..count])).map_err(|why| trouble_of(running, &why, requests))?;
    Ok(Examined { answers, again })
}

impl Examined {
    /// Whether the same request got a different answer the second time.
    pub(crate) fn varies(&self, index: usize) -> bool {
        match self.again.get(index) {
            Some(again) => !is_same(again, &self.answers[index]),
            // It was not sent again. If other answers of this server varied, this one may vary, too.
            None => self.again.iter().zip(&self.answers).any(|(again, once)| !is_same(again, once)),
        }
    }

    /// The answers that the load is verified against.
    pub(crate) fn expected(&self, which: &[usize]) -> Vec<Expectation> {
        let expectation = |index: &usize| {
            let answer = &self.answers[*index];
            let content = if self.varies(*index) { Content::Varies } else { Content::Exactly(answer.body.clone()) };
            Expectation { status: answer.status, content }
        };
        which.iter().map(expectation).collect()
    }

    /// Shares the memory of bodies that equal the reference's.
    pub(crate) fn share(&mut self, reference: &Examined) {
        for (mine, theirs) in self.answers.iter_mut().zip(&reference.answers) {
            if mine.body == theirs.body {
                mine.body = Bytes::clone(&theirs.body);
            }
        }
    }

    /// Compares answers. If the reference's own body changes from answer to answer, and the comparator does not ignore
    /// that change, only the rest of the answer is compared, and the outcome says so.
    pub(crate) fn compare(&self, reference: &Examined, requests: &[Request], comparator: &mut dyn Comparator) -> Check {
        let (mut different, mut bodiless) = (0, 0);
        let mut first = None;
        for (index, request) in requests.iter().enumerate() {
            let (Some(theirs), Some(mine)) = (reference.answers.get(index), self.answers.get(index)) else { break };
            let Some(mut difference) = comparator.difference(request, theirs, mine) else { continue };
            let changes = match reference.again.get(index) {
                Some(again) => comparator.difference(request, theirs, again).is_some(),
                None => reference.varies(index),
            };
            if changes {
                bodiless += 1;
                let without = Answer { body: theirs.body.clone(), ..mine.clone() };
                match comparator.difference(request, theirs, &without) {
                    Some(rest) => difference = rest,
                    None => continue,
                }
            }
            different += 1;
            first.get_or_insert_with(|| format!("{}: {difference}", words(request)));
        }
        let compared = self.answers.len();
        let how = match bodiless {
            0 => comparator.how(),
            all if all == compared => {
                "all but the bodies, because the reference's bodies change from answer to answer".to_owned()
            }
            some => format!(
                "{}; of {some} all but the bodies, which the reference changes from answer to answer",
                comparator.how()
            ),
        };
        match first {
            Some(first) => Check::Different { different, compared, first },
            None => Check::Same { compared, how },
        }
    }
}

/// Whether two answers of one server are the same except for headers such as `Date`.
fn is_same(one: &Answer, other: &Answer) -> bool {
    one.status == other.status && one.content_type() == other.content_type() && one.body == other.body
}
