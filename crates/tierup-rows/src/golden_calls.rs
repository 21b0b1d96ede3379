//! The golden call of a ramp: both sides get the request of `[health]` every ten seconds.
//!
//! A thread makes the calls, as a server may take its time. In: the servers' addresses. Out: whether each answer was
//! right. Only GET and HEAD requests are sent: no request by tierup itself changes anything (RFC 9110, section 9.2.1).

use std::{
    io,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use tierup_diagnostic::Failure;
use tierup_project::{GoldenRequest, Loaded};
use tierup_rollout::Golden;
use tierup_runner::Observer;
use tierup_subject::{Questions, Standing, ask, prepare};

use crate::golden::sha256;

#[cfg(test)]
mod tests;

/// Time between two calls.
const PERIOD: Duration = Duration::from_secs(10);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes golden calls as long as it exists.
pub struct GoldenCalls {
    ask: Sender<GoldenCall>,
    answers: Receiver<Answered>,
    asked: Option<Instant>,
    is_under_way: bool,
}

struct GoldenCall {
    /// The time by the judge's clock.
    at: u64,
    control: String,
    candidate: String,
}

struct Answered {
    golden: Golden,
    /// The candidate gave no answer at all.
    is_silent: bool,
}

/// Why an answer is not right.
enum Wrong {
    Silent(String),
    Answer(String),
}

impl Wrong {
    fn words(self) -> String {
        match self {
            Wrong::Silent(words) | Wrong::Answer(words) => words,
        }
    }
}

impl GoldenCalls {
    /// The golden calls of a project. If there are none, the observer is told why.
    ///
    /// # Errors
    /// The system has no threads left.
    pub fn prepare(loaded: &Arc<Loaded>, observer: &dyn Observer) -> Result<Option<GoldenCalls>, Failure> {
        let Some(golden) = loaded.golden.clone() else {
            observer.note("there is no golden call: `[health]` has no `request`");
            return Ok(None);
        };
        if !matches!(golden.request.method.as_str(), "GET" | "HEAD") {
            observer.note(&format!("there is no golden call: a {} request may change data", golden.request.method));
            return Ok(None);
        }
        let calls = GoldenCalls::start(Arc::clone(loaded), golden, PATIENCE);
        calls.map(Some).map_err(|error| Failure::new(format!("cannot make golden calls: {error}")))
    }

    fn start(loaded: Arc<Loaded>, golden: GoldenRequest, patience: Duration) -> io::Result<GoldenCalls> {
        let (ask, asked) = channel::<GoldenCall>();
        let (answer, answers) = channel();
        thread::Builder::new().name("golden".into()).spawn(move || {
            for GoldenCall { at, control, candidate } in asked {
                // A single call may get lost on the way, so it is repeated once.
                let right = |address: &str| {
                    let ask = || is_right(&loaded, &golden, address, patience);
                    ask().or_else(|_| ask())
                };
                let (control, candidate) = (right(&control), right(&candidate));
                let is_silent = matches!(candidate, Err(Wrong::Silent(_)));
                let golden = Golden {
                    at,
                    call: golden.request.name.clone(),
                    control: control.map_err(Wrong::words),
                    candidate: candidate.map_err(Wrong::words),
                };
                if answer.send(Answered { golden, is_silent }).is_err() {
                    return;
                }
            }
        })?;
        Ok(GoldenCalls { ask, answers, asked: None, is_under_way: false })
    }

    /// Returns the calls that have ended, and begins another one when it is time. A candidate without clients
    /// (`has_weight` is false) may be starting, so a call that it does not answer does not count.
    pub fn look(
        &mut self,
        at: u64,
        has_weight: bool,
        control: Option<&String>,
        candidate: Option<&String>,
    ) -> Vec<Golden> {
        let mut goldens = Vec::new();
        while let Ok(Answered { golden, is_silent }) = self.answers.try_recv() {
            self.is_under_way = false;
            if has_weight || !is_silent {
                goldens.push(golden);
            }
        }
        let is_time = self.asked.is_none_or(|asked| asked.elapsed() >= PERIOD);
        if let (Some(control), Some(candidate), true, false) = (control, candidate, is_time, self.is_under_way) {
            let asked = GoldenCall { at, control: control.clone(), candidate: candidate.clone() };
            self.is_under_way = self.ask.send(asked).is_ok();
            self.asked = Some(Instant::now());
        }
        goldens
    }
}

/// Whether the server at an address such as `http://app:3000` gives the right answer.
fn is_right(loaded: &Loaded, golden: &GoldenRequest, address: &str, patience: Duration) -> Result<(), Wrong> {
    let silent = |why: String| Wrong::Silent(format!("{address}: {why}"));
    let (server, _) = Standing::at(address).map_err(|error| Wrong::Silent(error.to_string()))?;
    let prepared = prepare([&golden.request], &server.authority).map_err(|error| silent(error.to_string()))?;
    let questions =
        Questions { address: server.address, requests: &prepared, width: 1, patience, interrupted: &|| false };
    let mut answers = ask(&questions).map_err(|error| silent(error.to_string()))?;
    let answer = answers.pop().ok_or_else(|| silent("there is no answer".to_owned()))?;
    if !(200..300).contains(&answer.status) {
        return Err(Wrong::Answer(format!("it answered with {}", answer.status)));
    }
    let content = golden.content(&answer.body, &loaded.project);
    let content = content.ok_or_else(|| Wrong::Answer("its answer is not the function's value".to_owned()))?;
    let hash = sha256(&content);
    let is_known = loaded.project.health.iter().flat_map(|health| &health.sha256).any(|right| *right == hash);
    if is_known { Ok(()) } else { Err(Wrong::Answer(format!("its answer has the SHA-256 {hash}"))) }
}
