//! Loads one running server for a time, as often as the caller wants, while the caller observes it with a tool of its
//! own.
//!
//! In: a running server, and requests. Out: a [`Slice`] for each load. Answers are verified as in a benchmark: the
//! server's first answers are the right ones from then on.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use tierup_requests::Set;
use tierup_subject::{ProcessesCpu, Readiness, Running, ServerProcesses, Trouble, prepare, wait_until_it_answers};

use crate::{
    examine::{Asking, examine, load_of},
    load::{Load, Pace, Workload},
    record::Slice,
    run::{Error, slice::measure},
};

/// How the server is loaded: as fast as it answers, on this many connections.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub connections: usize,
    /// Threads that generate load.
    pub workers: usize,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long the server may take until its first answer.
    pub patience: Duration,
}

/// A running server and its load.
pub struct Loading {
    running: Box<dyn Running>,
    processes: Option<ServerProcesses>,
    all: Portion,
    /// For each request of the load, its index among those that were given.
    given: Vec<usize>,
    terms: Terms,
    began: Instant,
}

/// A part of the requests that can be sent alone.
#[derive(Debug)]
pub struct Portion {
    workload: Arc<Workload>,
    /// Where the next load begins in their order.
    offset: usize,
    /// Its share of the whole load, 0..=1.
    pub share: f64,
}

impl Loading {
    /// Sends every request once. Requests that the server refuses are left out of the load.
    ///
    /// # Errors
    /// The server does not answer, or refuses all requests. It is stopped then.
    pub fn begin(
        mut running: Box<dyn Running>,
        requests: &Set,
        terms: Terms,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Loading, Error> {
        match workload(&mut *running, requests, terms, interrupted) {
            Ok((workload, given)) => {
                let processes = running.pid().map(ServerProcesses::new);
                let all = Portion { workload: Arc::new(workload), offset: 0, share: 1.0 };
                Ok(Loading { running, processes, all, given, terms, began: Instant::now() })
            }
            Err(error) => {
                running.stop();
                Err(error)
            }
        }
    }

    /// Loads the server for this long, and counts.
    ///
    /// # Errors
    /// The user interrupts, the server ends, or none of its answers is right.
    pub fn load(&mut self, length: Duration, interrupted: &dyn Fn() -> bool) -> Result<Slice, Error> {
        let mut all = Portion { workload: Arc::clone(&self.all.workload), offset: self.all.offset, share: 1.0 };
        let slice = self.load_portion(&mut all, length, interrupted)?;
        self.all = all;
        if slice.answered > 0 {
            return Ok(slice);
        }
        let kinds: Vec<_> = slice.failures.kinds().into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let seen = if kinds.is_empty() { "no answer at all".to_owned() } else { kinds.join(", ") };
        let what = format!("it gave no correct answer within {:.1} s: {seen}", slice.seconds + slice.drain_seconds);
        Err(trouble(Trouble { what, log: self.running.log() }))
    }

    /// A portion of the load with only these requests, in their order. `None` if the server refuses all of them.
    pub fn portion(&self, requests: &[u32]) -> Option<Portion> {
        let Workload { requests: all, order, expected } = &*self.all.workload;
        let asked: HashSet<usize> = requests.iter().map(|index| *index as usize).collect();
        let kept: Vec<usize> = (0..all.len()).filter(|index| asked.contains(&self.given[*index])).collect();
        let place = |index: &u32| kept.binary_search(&(*index as usize)).ok().map(|place| place as u32);
        let (whole, order) = (order.len(), order.iter().filter_map(place).collect::<Vec<u32>>());
        let share = order.len() as f64 / whole as f64;
        let requests = kept.iter().map(|index| all[*index].clone()).collect();
        let expected = kept.iter().map(|index| expected[*index].clone()).collect();
        let workload = Workload { requests, order, expected };
        (!workload.order.is_empty()).then(|| Portion { workload: Arc::new(workload), offset: 0, share })
    }

    /// Loads the server with a portion alone. The outcome may have no right answer.
    ///
    /// # Errors
    /// The user interrupts, or the server ends.
    pub fn load_portion(
        &mut self,
        portion: &mut Portion,
        length: Duration,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Slice, Error> {
        let Terms { connections, workers, timeout, .. } = self.terms;
        let load = Load {
            address: self.running.address(),
            connections,
            workers,
            pace: Pace::Closed,
            length,
            timeout,
            offset: portion.offset,
            in_order: false,
            parts: 1,
            processors: None,
        };
        let slice = measure(&load, &portion.workload, self.processes.as_mut(), self.began, interrupted);
        let slice = slice.ok_or(Error::Interrupted)?;
        portion.offset = (portion.offset + slice.answered as usize) % portion.workload.order.len();
        match self.running.ended() {
            Some(how) => {
                let what = format!("it ended under load: {how}");
                Err(trouble(Trouble { what, log: self.running.log() }))
            }
            None => Ok(slice),
        }
    }

    /// CPU time of all the server's processes so far.
    pub fn cpu(&mut self) -> Option<ProcessesCpu> {
        self.processes.as_mut()?.cpu()
    }

    /// The server's processes, first the one that was started. Without `/proc`, only that one is known.
    pub fn pids(&mut self) -> Vec<u32> {
        let running = self.processes.as_mut().map(ServerProcesses::pids).unwrap_or_default();
        // Without `/proc`, only the first one is known.
        if running.is_empty() { self.running.pid().into_iter().collect() } else { running }
    }

    /// The process of a server that was not started here, if all its processes have ended. Known only with `/proc`.
    pub fn ended_process(&mut self) -> Option<u32> {
        let started_here = self.running.ended().is_some();
        let ended = cfg!(target_os = "linux") && !started_here && self.processes.as_mut()?.pids().is_empty();
        self.running.pid().filter(|_| ended)
    }

    /// The last lines that the server printed.
    pub fn log(&self) -> Vec<String> {
        self.running.log()
    }

    /// Ends the server, if it was started here.
    pub fn stop(self) {
        self.running.stop();
    }
}

/// The load, and the indices of its requests.
fn workload(
    running: &mut dyn Running,
    requests: &Set,
    terms: Terms,
    interrupted: &dyn Fn() -> bool,
) -> Result<(Workload, Vec<usize>), Error> {
    let Set { requests, order, .. } = requests;
    if requests.is_empty() {
        return Err(Error::NoRequests);
    }
    let unless_interrupted = |why: Trouble| if interrupted() { Error::Interrupted } else { trouble(why) };
    let ready = Readiness { request: requests.first(), patience: terms.patience, interrupted };
    wait_until_it_answers(running, &ready).map_err(unless_interrupted)?;
    let asking = Asking { requests, patience: terms.timeout, interrupted };
    let examined = examine(running, &asking).map_err(unless_interrupted)?;
    let (load, order) = load_of(&examined.answers, order);
    if load.is_empty() {
        let first = examined.answers.first().map(|answer| answer.status.to_string()).unwrap_or_default();
        return Err(Error::AllRefused { reference: "the server".to_owned(), count: requests.len(), first });
    }
    let prepared = prepare(load.iter().map(|index| &requests[*index]), &running.authority());
    let requests = prepared.map_err(|error| trouble(Trouble { what: error.to_string(), log: running.log() }))?;
    Ok((Workload { requests, order, expected: examined.expected(&load) }, load))
}

fn trouble(trouble: Trouble) -> Error {
    Error::NothingRuns { row: "the server".to_owned(), trouble }
}
