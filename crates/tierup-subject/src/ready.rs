//! Waits until a server answers, and tells why it does not.

use std::{
    thread,
    time::{Duration, Instant},
};

use tierup_requests::Request;

use crate::{
    ask::{Questions, Unanswered, ask},
    prepared::prepare,
    subject::{Running, Trouble},
};

/// When a server counts as ready.
#[derive(Clone, Copy)]
pub struct Readiness<'a> {
    /// The request that it must answer, in any way. Without a request, listening is enough.
    pub request: Option<&'a Request>,
    /// Time limit.
    pub patience: Duration,
    pub interrupted: &'a dyn Fn() -> bool,
}

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until a server answers.
///
/// # Errors
/// If it does not answer, or has ended.
pub fn wait_until_it_answers(running: &mut dyn Running, ready: &Readiness<'_>) -> Result<(), Trouble> {
    let began = Instant::now();
    let prepared = prepare(ready.request, &running.authority())
        .map_err(|error| Trouble { what: error.to_string(), log: running.log() })?;
    loop {
        let patience = ready.patience.saturating_sub(began.elapsed());
        let last = patience <= PAUSE;
        let questions = Questions {
            address: running.address(),
            requests: &prepared,
            width: 1,
            // The last attempt finds the reason, and needs a moment for it.
            patience: patience.max(PAUSE * 10),
            interrupted: ready.interrupted,
        };
        match ask(&questions) {
            Ok(_) => return Ok(()),
            Err(_) if !last && running.ended().is_none() && !(ready.interrupted)() => thread::sleep(PAUSE),
            Err(why @ Unanswered::Request { .. }) if running.ended().is_none() => {
                let request = ready.request.map(words).unwrap_or_default();
                let what = format!("it did not answer {request} within {:.0?}: {why}", ready.patience);
                return Err(Trouble { what, log: running.log() });
            }
            Err(why) => return Err(trouble_of(running, &why, ready.request)),
        }
    }
}

/// Why a server did not answer one of these requests, with its log.
pub fn trouble_of<'a>(
    running: &mut dyn Running,
    why: &Unanswered,
    requests: impl IntoIterator<Item = &'a Request>,
) -> Trouble {
    let ended = running.ended().map(|how| format!("; {how}")).unwrap_or_default();
    let request = match why {
        Unanswered::Request { index, .. } => requests.into_iter().nth(*index).map(|request| words(request) + ": "),
        _ => None,
    };
    if !ended.is_empty() {
        // Its last words may still be on their way through the pipe.
        thread::sleep(Duration::from_millis(100));
    }
    Trouble { what: format!("{}{why}{ended}", request.unwrap_or_default()), log: running.log() }
}

/// A request in one line: `POST /orders`.
pub fn words(request: &Request) -> String {
    const MOST: usize = 60;
    let target = &request.target;
    match target.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} {}…", request.method, &target[..end]),
        None => format!("{} {target}", request.method),
    }
}
