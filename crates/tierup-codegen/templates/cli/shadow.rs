//! The receiving end of a host's shadow: calls this program's functions with arguments that the host has used, and
//! compares the answers with the host's.
//!
//! In: a connection and a folder. A request has a function's number (with [`KEEP`]), the arguments' length, the
//! arguments and the host's answer; or [`COUNTS`] and the host's counts as JSON. Nothing is sent back. Out: evidence.
//!
//! The functions run in a process of their own ([`Candidate`]), one call at a time, at the lowest priority and for at
//! most half of the time. Calls that find the queue full are counted. Tiers word their errors and panics differently,
//! so that only the kind of such answers is compared.

use std::io::{self, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setpriority_process, setrlimit};

use crate::candidate::{Candidate, LARGEST, Sample, Unanswered};
use crate::evidence::Evidence;
use crate::worker::{self, COUNTS};

/// The bit of a function's number that permits keeping the call's values if the answers differ.
const KEEP: u32 = 1 << 30;

/// The most calls that wait.
const QUEUE: usize = 64;

/// The most bytes of data that the function's process may have.
const MEMORY: u64 = 1 << 30;

/// How long waiting calls may still take after the host has gone.
const GRACE: Duration = Duration::from_secs(5);

/// The longest pause after a call.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

// The first bytes of answers.
const ERROR: u8 = 1;
const REFUSED: u8 = 3;

/// Compares until the end of the connection.
pub fn serve(connection: &UnixStream, folder: &Path) {
    be_modest();
    let evidence = Arc::new(Mutex::new(Evidence::new(folder)));
    let (give, take) = mpsc::sync_channel(QUEUE);
    let (over, is_over) = mpsc::channel::<()>();
    thread::spawn({
        let evidence = Arc::clone(&evidence);
        move || {
            run(&take, &evidence);
            drop(over);
        }
    });
    let mut input = BufReader::new(connection);
    // An error ends the connection as its regular end does.
    while let Ok(Some((function, content))) = request(&mut input) {
        if function == COUNTS {
            lock(&evidence).host_counted(&content);
        } else if let Some(sample) = sample(function, &content) {
            // Counts the call before `run` can take it.
            lock(&evidence).counts.waiting += 1;
            if give.try_send(sample).is_err() {
                lock(&evidence).counts.drop_one();
            }
        }
    }
    drop(give);
    let _ = is_over.recv_timeout(GRACE);
    lock(&evidence).end();
}

/// Lowers the priority and the limits of this process and of those that it starts: nobody waits for them.
fn be_modest() {
    let at_most = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // If the system refuses a value, a stricter one is already in force.
    let _ = setpriority_process(None, 19);
    let _ = setrlimit(Resource::Data, at_most(MEMORY));
    let _ = setrlimit(Resource::Core, at_most(0));
}

fn lock(evidence: &Mutex<Evidence>) -> MutexGuard<'_, Evidence> {
    evidence.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next request: a number, and what follows it.
fn request(input: &mut BufReader<&UnixStream>) -> io::Result<Option<(u32, Vec<u8>)>> {
    let Some(length) = worker::read_length(input)? else { return Ok(None) };
    let function = u32::from_le_bytes(worker::read(input)?);
    let count = (length as usize).checked_sub(4).filter(|count| *count <= 2 * LARGEST + 16);
    let mut content = vec![0; count.ok_or(io::ErrorKind::InvalidData)?];
    input.read_exact(&mut content)?;
    Ok(Some((function, content)))
}

fn sample(function: u32, content: &[u8]) -> Option<Sample> {
    let (length, rest) = content.split_first_chunk()?;
    let (arguments, control) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (arguments, control) = (arguments.to_vec(), control.to_vec());
    Some(Sample { function: function & !KEEP, arguments, control, may_be_kept: function & KEEP != 0 })
}

fn run(samples: &Receiver<Sample>, evidence: &Mutex<Evidence>) {
    let limit = limit();
    let mut candidate = None;
    for sample in samples {
        if !lock(evidence).is_kept() {
            lock(evidence).counts.drop_one();
            continue;
        }
        let began = Instant::now();
        match ask(&mut candidate, &sample, limit) {
            Ok(answer) => note(&mut lock(evidence), &sample, &answer),
            Err(error) => {
                lock(evidence).trouble("the function's process cannot be started", &error);
                lock(evidence).counts.drop_one();
                thread::sleep(LONGEST_PAUSE);
            }
        }
        thread::sleep(began.elapsed().min(LONGEST_PAUSE));
    }
}

/// The time limit of a call: the host's, from the environment.
fn limit() -> Duration {
    let seconds = std::env::var("TIERUP_CALL_TIMEOUT").ok().and_then(|text| text.parse().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(Duration::from_secs(10))
}

fn ask(
    candidate: &mut Option<Candidate>,
    sample: &Sample,
    limit: Duration,
) -> io::Result<Result<Vec<u8>, Unanswered>> {
    let running = match candidate {
        Some(running) => running,
        None => candidate.insert(Candidate::start(limit)?),
    };
    let answer = running.call(sample);
    if answer.is_err() {
        *candidate = None;
    }
    Ok(answer)
}

fn note(evidence: &mut Evidence, sample: &Sample, answer: &Result<Vec<u8>, Unanswered>) {
    let tag = |answer: &[u8]| answer.first().copied().filter(|tag| (ERROR..=REFUSED).contains(tag));
    let is_alike = answer.as_ref().is_ok_and(|answer| {
        *answer == sample.control || tag(answer).is_some() && tag(answer) == tag(&sample.control)
    });
    let counts = &mut evidence.counts;
    counts.waiting -= 1;
    counts.compared += 1;
    if is_alike {
        counts.alike += 1;
        return;
    }
    counts.different += 1;
    match answer {
        Ok(answer) if tag(answer) == Some(ERROR + 1) => counts.panics += 1,
        Ok(_) | Err(Unanswered::TooLarge) => {}
        Err(Unanswered::Late(_)) => counts.timeouts += 1,
        Err(Unanswered::Died(_)) => counts.deaths += 1,
    }
    if sample.may_be_kept {
        evidence.keep(sample, answer);
    }
}
