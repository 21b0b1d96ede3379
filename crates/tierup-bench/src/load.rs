//! HTTP/1.1 load from threads of this process: a closed loop or an open one, for a while, against one server.
//!
//! In: an address, requests with the answers that are right, and a [`Load`]. Out: an [`Outcome`]: counts and latencies.
//! Only right answers are throughput: every body is read whole and compared.

mod closed;
mod exchange;
mod open;
mod steady;
mod timer;
mod worker;
mod workload;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use self::worker::{News, Part, Signal};
pub use self::workload::{Content, Expectation, Workload};
use crate::{histogram::Latencies, record::Failures};

/// What to do to a server.
#[derive(Debug, Clone)]
pub struct Load {
    pub address: SocketAddr,
    /// Connections that are kept open; at least one for each worker is used.
    pub connections: usize,
    /// Threads of this process.
    pub workers: usize,
    pub pace: Pace,
    pub length: Duration,
    /// For connecting, and for one request from sending to the last byte.
    pub timeout: Duration,
    /// Which request is sent first: an offset into [`Workload::order`].
    pub offset: usize,
    /// Equal parts of `length` whose right answers are counted apart.
    pub parts: usize,
    /// The processors of the generating threads, where they are pinned.
    pub processors: Option<Vec<usize>>,
}

/// What decides when the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// The answer to the last one, on each connection: a closed loop.
    Closed,
    /// The clock: so many requests a second, evenly spaced, whatever the answers do: an open loop (Schroeder, Wierman
    /// and Harchol-Balter, "Open Versus Closed", NSDI 2006).
    Open { rate: f64 },
}

/// What came of it. See [`crate::record::Slice`] for the fields of the same names.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub completed: u64,
    pub steady: Option<f64>,
    pub answered: u64,
    pub body_bytes: u64,
    pub failures: Failures,
    pub unsent: u64,
    pub resent: u64,
    pub drained: Duration,
    pub parts: Vec<u32>,
    pub latencies: Latencies,
    pub lags: Latencies,
    /// The busiest thread's CPU over the time until the last answer, 0..=1.
    pub busiest: f64,
    /// Whether `watch` ended it early.
    pub aborted: bool,
}

/// What the caller does around and during the load, on the calling thread.
pub trait Watch {
    /// All connections are open, nothing was sent yet.
    fn begins(&mut self) {}
    /// Called every tenth of a second or so; the load is given up where it answers `Continue::No`.
    fn passes(&mut self) -> Continue {
        Continue::Yes
    }
    /// The last answer is in.
    fn ends(&mut self) {}
}

/// Nothing to watch.
impl Watch for () {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continue {
    Yes,
    No,
}

/// How often [`Watch::passes`] is called.
const WATCHED_EVERY: Duration = Duration::from_millis(100);

/// Generates load and waits until every answer is in, or has timed out.
pub fn generate(load: &Load, workload: &Arc<Workload>, watch: &mut dyn Watch) -> Outcome {
    let workers = load.workers.clamp(1, load.connections.max(1));
    let (signal, signals) = tokio::sync::watch::channel(Signal::Connect);
    let (tell, news) = mpsc::channel();
    let threads: Vec<_> = (0..workers)
        .map(|number| {
            let part = Part {
                load: load.clone(),
                workload: Arc::clone(workload),
                number,
                workers,
                signals: signals.clone(),
                news: tell.clone(),
            };
            thread::spawn(move || worker::run(part))
        })
        .collect();
    // From here on the channel ends with the last worker, also where one panics.
    drop(tell);

    let mut total = Outcome::default();
    let mut connecting = workers;
    loop {
        match news.recv_timeout(WATCHED_EVERY) {
            Ok(News::Connected) => {
                connecting -= 1;
                if connecting == 0 && !total.aborted {
                    watch.begins();
                    // Where no worker is left to hear it, the channel of news has ended too.
                    let _ = signal.send(Signal::Go(Instant::now()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if !total.aborted && watch.passes() == Continue::No {
                    total.aborted = true;
                    let _ = signal.send(Signal::Abort);
                }
            }
        }
    }
    watch.ends();
    for thread in threads {
        match thread.join() {
            Ok(outcome) => total.add(&outcome),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    total
}

impl Outcome {
    fn add(&mut self, other: &Outcome) {
        self.completed += other.completed;
        if let Some(more) = other.steady {
            *self.steady.get_or_insert(0.0) += more;
        }
        self.answered += other.answered;
        self.body_bytes += other.body_bytes;
        self.failures += other.failures;
        // At a rate beyond all measure, each worker's share is more than can be counted.
        self.unsent = self.unsent.saturating_add(other.unsent);
        self.resent += other.resent;
        self.drained = self.drained.max(other.drained);
        self.parts.resize(self.parts.len().max(other.parts.len()), 0);
        self.parts.iter_mut().zip(&other.parts).for_each(|(mine, theirs)| *mine += theirs);
        self.latencies.merge(&other.latencies);
        self.lags.merge(&other.lags);
        self.busiest = self.busiest.max(other.busiest);
    }
}
