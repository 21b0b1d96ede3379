//! The companion: a process that starts a worker for each connection to its socket, and reports how workers end.
//!
//! Each connection has its own worker process, which ends with it. It begins with the 8-byte hash of the interface, or
//! with a refusal and its reason. A start that takes longer than `TIERUP_START_TIMEOUT` has failed. If a client leaves
//! during a start, the start goes on for the next client: otherwise impatient clients would never get a worker.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::start::{Start, Worker};
use crate::starts::Starts;

/// How long the background program waits for the next connection.
const IDLE: Duration = Duration::from_secs(10);

/// How long a worker may take to start, unless the environment says otherwise: many times what a busy machine needs.
const START: Duration = Duration::from_secs(30);

/// The pause after a failed `accept`: the connection stays in the queue, so that `poll` would return at once.
const PAUSE: Duration = Duration::from_millis(100);

/// Sent in place of the interface's hash, which is never 0. The reason follows, until the end of the connection.
const REFUSAL: [u8; 8] = [0; 8];

/// What the companion ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// The process that started it, on systems that end it then.
    OfParent,
    /// Its standard input, a pipe that ends with whoever started it.
    OfInput,
    /// The last worker, after an idle time.
    UntilIdle,
}

pub struct Companion<'a> {
    listener: &'a UnixListener,
    /// The path that this program was started by: a new build at that path serves new connections.
    program: OsString,
    abi: &'a OsStr,
    life: Life,
    /// How long a start may take.
    limit: Duration,
    starts: Starts,
    /// Connections without a worker, and since when. The first has waited longest.
    waiting: VecDeque<(UnixStream, Instant)>,
    starting: Vec<Start>,
    /// Workers whose clients were gone when they had started.
    spare: Vec<Worker>,
    workers: Vec<Worker>,
    /// When it last had something to do.
    last: Instant,
}

/// The events that `poll` has found.
struct Events {
    input: bool,
    listener: bool,
    /// For each connection without a worker, whether its client is gone.
    gone: Vec<bool>,
    /// For each start, whether its process has sent something or ended.
    said: Vec<bool>,
    /// For each spare worker and each worker, whether it has ended.
    ended_spare: Vec<bool>,
    ended: Vec<bool>,
}

impl<'a> Companion<'a> {
    pub fn new(listener: &'a UnixListener, abi: &'a OsStr, life: Life) -> io::Result<Self> {
        // A client may go away between `poll` and `accept`.
        listener.set_nonblocking(true)?;
        let own_path = || io::Error::other("this program does not know its own path");
        let program = std::env::args_os().next().ok_or_else(own_path)?;
        let seconds = std::env::var("TIERUP_START_TIMEOUT").ok().and_then(|text| text.parse().ok());
        let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(START);
        let (waiting, starting, spare, workers) = (VecDeque::new(), vec![], vec![], vec![]);
        let (starts, last) = (Starts::new(), Instant::now());
        Ok(Companion { listener, program, abi, life, limit, starts, waiting, starting, spare, workers, last })
    }

    /// Serves until its life ends. A later call continues where this one ended.
    pub fn serve(&mut self) {
        loop {
            self.begin_starts();
            let events = self.wait();
            if events.input {
                self.starting.drain(..).for_each(|start| start.worker.kill());
                return;
            }
            report_ended(&mut self.workers, &events.ended, &self.program);
            report_ended(&mut self.spare, &events.ended_spare, &self.program);
            let mut gone = events.gone.iter();
            self.waiting.retain(|_| gone.next() != Some(&true));
            if events.listener {
                self.accept();
            }
            self.look_at_starts(&events.said);
            if !self.is_idle() {
                self.last = Instant::now();
            } else if self.life == Life::UntilIdle && self.last.elapsed() > IDLE {
                return;
            }
        }
    }

    /// Accepts the connections that wait at the socket. Returns whether there was one.
    pub fn accept(&mut self) -> bool {
        let before = self.waiting.len();
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if stream.set_nonblocking(false).is_ok() {
                        self.waiting.push_back((stream, Instant::now()));
                    }
                }
                Err(error) => {
                    use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
                    if !matches!(error.kind(), WouldBlock | Interrupted | ConnectionAborted) {
                        // Too many open files, for instance.
                        thread::sleep(PAUSE);
                    }
                    return self.waiting.len() > before;
                }
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.starting.is_empty() && self.workers.is_empty()
    }

    fn begin_starts(&mut self) {
        while self.starting.len() < self.waiting.len() && self.starts.may_begin(self.starting.len()) {
            let (began, is_retry) = (Instant::now(), self.starts.is_retry());
            match Worker::spawn(&self.program, self.abi) {
                Ok(worker) => self.starting.push(Start { worker, began, is_retry }),
                Err(reason) => self.fail(began, &reason),
            }
        }
    }

    fn look_at_starts(&mut self, said: &[bool]) {
        // Starts still under way go back to the list first, because `fail` looks at them.
        let (over, starting) = std::mem::take(&mut self.starting)
            .into_iter()
            .zip(said)
            .partition::<Vec<_>, _>(|(start, said)| **said || start.began.elapsed() >= self.limit);
        self.starting = starting.into_iter().map(|(start, _)| start).collect();
        let mut failures = vec![];
        for (Start { worker, began, .. }, said) in over {
            let started = if *said {
                worker.started(&self.program)
            } else {
                worker.kill();
                let (name, seconds) = (self.program.display(), self.limit.as_secs_f64());
                Err(format!("{name} did not start within {seconds} s (TIERUP_START_TIMEOUT): its process was ended"))
            };
            match started {
                Ok(worker) => {
                    self.starts.succeed();
                    self.spare.push(worker);
                }
                Err(reason) => failures.push((began, reason)),
            }
        }
        // Hand over first: a client that gets a worker is not told that another start failed.
        self.hand_over();
        for (began, reason) in failures {
            self.fail(began, &reason);
        }
    }

    /// Gives waiting connections to spare workers.
    fn hand_over(&mut self) {
        while !self.waiting.is_empty() {
            let Some(worker) = self.spare.pop() else { return };
            // A worker that has ended is added too, so that its end is reported.
            if worker.serve(&self.waiting[0].0) {
                self.waiting.pop_front();
            }
            self.workers.push(worker);
        }
    }

    /// Reports a failed start to all that have waited since it began, unless a start that is no retry is under way.
    fn fail(&mut self, began: Instant, reason: &str) {
        self.starts.fail();
        if self.starting.iter().any(|start| !start.is_retry) {
            return;
        }
        while let Some((mut client, _)) = self.waiting.pop_front_if(|(_, since)| *since <= began) {
            // The client may be gone by now.
            let _ = client.write_all(&[&REFUSAL, reason.as_bytes()].concat());
        }
    }

    /// Waits until something happens, or until the next deadline.
    fn wait(&self) -> Events {
        let end = PollFlags::empty();
        let stdin = rustix::stdio::stdin();
        let mut all = vec![PollFd::new(self.listener, PollFlags::IN)];
        all.extend(self.waiting.iter().map(|(client, _)| PollFd::new(client, end)));
        all.extend(self.starting.iter().map(|start| PollFd::new(&start.worker, PollFlags::IN)));
        all.extend(self.spare.iter().chain(&self.workers).map(|worker| PollFd::new(worker, end)));
        if self.life == Life::OfInput {
            all.push(PollFd::new(&stdin, end));
        }
        if poll(&mut all, self.pause().as_ref()).is_err_and(|error| error != rustix::io::Errno::INTR) {
            // The limit of open files was lowered, for instance.
            thread::sleep(PAUSE);
        }
        let mut found = all.iter().map(|one| !one.revents().is_empty());
        let mut next = |count: usize| -> Vec<bool> { found.by_ref().take(count).collect() };
        Events {
            listener: next(1)[0],
            gone: next(self.waiting.len()),
            said: next(self.starting.len()),
            ended_spare: next(self.spare.len()),
            ended: next(self.workers.len()),
            input: next(1) == [true],
        }
    }

    /// The time until the next deadline; `None` if there is none.
    fn pause(&self) -> Option<Timespec> {
        let now = Instant::now();
        let starts = self.starting.iter().map(|start| start.began + self.limit);
        let next = Some(self.starts.next()).filter(|next| !self.waiting.is_empty() && *next > now);
        let idle = Some(self.last + IDLE).filter(|_| self.life == Life::UntilIdle && self.is_idle());
        let end = starts.chain(next).chain(idle).min()?;
        // One millisecond more, because some systems count whole milliseconds only.
        Timespec::try_from(end.saturating_duration_since(now) + Duration::from_millis(1)).ok()
    }
}

fn report_ended(workers: &mut Vec<Worker>, ended: &[bool], program: &OsStr) {
    for index in (0..workers.len()).rev().filter(|index| ended[*index]) {
        workers.swap_remove(index).report(program);
    }
}
