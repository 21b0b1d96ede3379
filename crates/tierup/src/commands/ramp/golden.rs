//! The golden call of a ramp: the request of `[health]`, which both sides are asked every ten seconds.
//!
//! A thread asks, as a server may take its time. In: the servers' addresses. Out: whether each answer was the right one.

use std::{
    net::ToSocketAddrs as _,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};
use tierup_project::{GoldenRequest, Loaded};
use tierup_rollout::Golden;
use tierup_subject::{Questions, ask, prepare};

/// Between two calls.
const PERIOD: Duration = Duration::from_secs(10);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks while it lives.
pub(super) struct GoldenCalls {
    ask: Sender<Asked>,
    answers: Receiver<Golden>,
    asked: Option<Instant>,
    is_under_way: bool,
}

struct Asked {
    /// By the judge's time.
    at: u64,
    control: String,
    candidate: String,
}

impl GoldenCalls {
    /// # Errors
    /// The system has no threads left.
    pub(super) fn start(loaded: Arc<Loaded>, golden: GoldenRequest) -> std::io::Result<GoldenCalls> {
        let (ask, asked) = channel::<Asked>();
        let (answer, answers) = channel();
        thread::Builder::new().name("golden".into()).spawn(move || {
            for Asked { at, control, candidate } in asked {
                // One call that is lost may be lost on the way.
                let right = |address: &str| is_right(&loaded, &golden, address).or_else(|_| is_right(&loaded, &golden, address));
                let golden = Golden {
                    at,
                    call: golden.request.name.clone(),
                    control: right(&control),
                    candidate: right(&candidate),
                };
                if answer.send(golden).is_err() {
                    return;
                }
            }
        })?;
        Ok(GoldenCalls { ask, answers, asked: None, is_under_way: false })
    }

    /// The calls that have ended; another one begins where it is time.
    pub(super) fn look(&mut self, at: u64, control: Option<&String>, candidate: Option<&String>) -> Vec<Golden> {
        let mut goldens = Vec::new();
        loop {
            match self.answers.try_recv() {
                Ok(golden) => {
                    self.is_under_way = false;
                    goldens.push(golden);
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        let is_time = self.asked.is_none_or(|asked| asked.elapsed() >= PERIOD);
        if let (Some(control), Some(candidate), true, false) = (control, candidate, is_time, self.is_under_way) {
            let asked = Asked { at, control: control.clone(), candidate: candidate.clone() };
            self.is_under_way = self.ask.send(asked).is_ok();
            self.asked = Some(Instant::now());
        }
        goldens
    }
}

/// Whether the server at this address, `http://app:3000`, gives the right answer.
fn is_right(loaded: &Loaded, golden: &GoldenRequest, address: &str) -> Result<(), String> {
    let authority = address.strip_prefix("http://").unwrap_or(address).trim_end_matches('/');
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let with_port = if has_port { authority.to_owned() } else { format!("{authority}:80") };
    let mut found = with_port.to_socket_addrs().map_err(|error| format!("{address}: {error}"))?;
    let found = found.next().ok_or_else(|| format!("{address} has no address"))?;
    let prepared = prepare([&golden.request], authority).map_err(|error| error.to_string())?;
    let questions =
        Questions { address: found, requests: &prepared, width: 1, patience: PATIENCE, interrupted: &|| false };
    let answer = ask(&questions).map_err(|error| error.to_string())?.pop().ok_or("there is no answer")?;
    if !(200..300).contains(&answer.status) {
        return Err(format!("it answered with {}", answer.status));
    }
    let content = golden.content(&answer.body, &loaded.project).ok_or("its answer is not the function's value")?;
    let hash: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let known = loaded.project.health.iter().flat_map(|health| &health.sha256).any(|right| *right == hash);
    if known { Ok(()) } else { Err(format!("its answer has the SHA-256 {hash}")) }
}
