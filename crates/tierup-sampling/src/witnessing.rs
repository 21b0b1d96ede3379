//! A run that watches a server's own functions: it starts the server, sends single requests in two rounds, and stops
//! the server. It never loads the server, because a witness slows it by far.

use std::{
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tierup_requests::{Request, Set};
use tierup_runner::Interrupts;
use tierup_signature::SentRequest;
use tierup_subject::{
    Prepared, Questions, Readiness, Running, Starting, Subject, Trouble, Unanswered, ask, prepare, trouble_of,
    wait_until_it_answers,
};

use crate::{Error, Private, sampler::Sampler};

/// Everything that a run needs.
pub struct WitnessPlan<'a> {
    pub subject: &'a dyn Subject,
    /// Holds the witness's files.
    pub private: &'a Private,
    /// Variables for the server, including those of the witness.
    pub environment: &'a [(String, String)],
    pub requests: &'a Set,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long the server may take until its first answer.
    pub patience: Duration,
    /// A round that has taken this long sends no further request.
    pub longest: Duration,
    /// Whether there is a second round, which records calls.
    pub second: bool,
}

/// The findings of a run.
#[derive(Debug, Clone, Default)]
pub struct Witnessed {
    /// The files that each process wrote after the first round.
    pub counted: Vec<Vec<u8>>,
    /// The requests of the first round.
    pub requests: usize,
    /// The files that each process wrote after the second round.
    pub seen: Vec<Vec<u8>>,
    /// The requests of the second round, if there was one.
    pub asked: Vec<SentRequest>,
    /// Indices in the set, in the order in which the requests were sent.
    pub indices: Vec<usize>,
    pub notes: Vec<String>,
}

/// Requests of a round. There are few, because each may take a thousand times as long as usual.
const REQUESTS: usize = 20;
/// Pause between two requests, so that a clock that counts milliseconds can assign each call to one of them.
const GAP: Duration = Duration::from_millis(5);

/// Runs the rounds. Whatever the outcome, all processes of the server have ended afterwards.
///
/// # Errors
/// The server does not start or ends, it cannot be watched, or the user interrupts.
pub fn witness(plan: &WitnessPlan<'_>, interrupts: &Interrupts) -> Result<Witnessed, Error> {
    let mut sampler = sampler(plan.private, interrupts)?;
    let starting = Starting { environment: plan.environment, ..Starting::default() };
    let failed = |why: Trouble| if interrupts.arrived() { Error::Interrupted } else { Error::Trouble(why) };
    let mut running = plan.subject.start(&starting).map_err(failed)?;
    let witnessed = rounds(plan, &mut *sampler, &mut *running, interrupts);
    let log = running.log();
    running.stop();
    match witnessed {
        _ if interrupts.arrived() => Err(Error::Interrupted),
        Err(Error::NoProcess { why, .. }) => Err(Error::NoProcess { why, log }),
        witnessed => witnessed,
    }
}

fn rounds(
    plan: &WitnessPlan<'_>,
    sampler: &mut dyn Sampler,
    running: &mut dyn Running,
    interrupts: &Interrupts,
) -> Result<Witnessed, Error> {
    let interrupted = || interrupts.arrived();
    let failed = |why: Trouble| if interrupts.arrived() { Error::Interrupted } else { Error::Trouble(why) };
    let ready =
        Readiness { request: plan.requests.requests.first(), patience: plan.patience, interrupted: &interrupted };
    wait_until_it_answers(running, &ready).map_err(failed)?;
    let indices = chosen(plan.requests);
    let requests: Vec<&Request> = indices.iter().map(|index| &plan.requests.requests[*index]).collect();
    let prepared = prepare(requests.iter().copied(), &running.authority());
    let prepared = prepared.map_err(|error| failed(Trouble { what: error.to_string(), log: running.log() }))?;
    let mut round = |sampler: &mut dyn Sampler| -> Result<(Vec<Vec<u8>>, Vec<SentRequest>), Error> {
        sampler.start(&[])?;
        let mut asked = Vec::new();
        let began = Instant::now();
        for (request, prepared) in requests.iter().zip(&prepared) {
            if !asked.is_empty() && began.elapsed() > plan.longest {
                break;
            }
            thread::sleep(GAP);
            let (began, ended) = one(plan, running, prepared, &interrupted).map_err(|why| match why {
                Unanswered::Interrupted => Error::Interrupted,
                why => failed(trouble_of(running, &why, [*request])),
            })?;
            let Request { method, target, body, .. } = (*request).clone();
            asked.push(SentRequest { method, target, body, began, ended });
        }
        let parts = sampler.stop()?;
        Ok((parts.into_iter().map(|part| part.profile).collect(), asked))
    };
    let (counted, first) = round(sampler)?;
    let (seen, asked) = if plan.second { round(sampler)? } else { (Vec::new(), Vec::new()) };
    Ok(Witnessed { counted, requests: first.len(), seen, asked, indices, notes: sampler.notes() })
}

/// Sends one request, and returns when it began and ended.
fn one(
    plan: &WitnessPlan<'_>,
    running: &dyn Running,
    request: &Prepared,
    interrupted: &dyn Fn() -> bool,
) -> Result<(f64, f64), Unanswered> {
    let questions = Questions {
        address: running.address(),
        requests: std::slice::from_ref(request),
        width: 1,
        patience: plan.timeout,
        interrupted,
    };
    let began = now();
    ask(&questions)?;
    Ok((began, now()))
}

/// The first distinct requests in sending order, each twice, so that answers that differ from time to time are noticed.
fn chosen(set: &Set) -> Vec<usize> {
    let mut distinct: Vec<usize> = Vec::new();
    for index in set.order.iter().map(|index| *index as usize) {
        if distinct.len() == REQUESTS / 2 {
            break;
        }
        if !distinct.contains(&index) {
            distinct.push(index);
        }
    }
    distinct.iter().chain(&distinct).copied().collect()
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1000.0
}

#[cfg(unix)]
fn sampler<'a>(private: &Private, interrupts: &'a Interrupts) -> Result<Box<dyn Sampler + 'a>, Error> {
    Ok(Box::new(crate::sampler::agents::Agents::listen(private.path(), interrupts)?))
}

#[cfg(not(unix))]
fn sampler<'a>(_: &Private, _: &'a Interrupts) -> Result<Box<dyn Sampler + 'a>, Error> {
    Err(Error::Socket(std::io::ErrorKind::Unsupported.into()))
}
