//! One worker's part of a load: its input, its messages to and from the main thread, and the state that its connections
//! share.

use std::{
    cell::RefCell,
    sync::{Arc, atomic::AtomicUsize, mpsc::Sender},
    time::Instant,
};

use tokio::sync::watch;

use super::{
    Workload,
    exchange::Failure,
    terms::{Load, LoadOutcome},
};

/// A worker's share.
pub(super) struct Part {
    pub(super) load: Load,
    pub(super) workload: Arc<Workload>,
    pub(super) number: usize,
    pub(super) workers: usize,
    /// How many requests all workers have taken together, if they keep the order.
    pub(super) taken: Arc<AtomicUsize>,
    pub(super) signals: watch::Receiver<Signal>,
    /// Dropped when the worker ends.
    pub(super) news: Sender<News>,
}

/// Messages to workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Connect,
    /// The common start.
    Go(Instant),
    Abort,
}

/// Messages from a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Connected,
}

/// The state that the connections of one worker share.
pub(super) struct LoadState {
    pub(super) part: Part,
    pub(super) began: Instant,
    pub(super) ends: Instant,
    pub(super) outcome: RefCell<LoadOutcome>,
}

impl LoadState {
    /// Records one exchange: the time from which its latency counts, when it ended, and its result.
    pub(super) fn note(&self, from: Instant, ended: Instant, result: Result<usize, Failure>) {
        let outcome = &mut *self.outcome.borrow_mut();
        match result {
            Err(failure) => failure.count(&mut outcome.failures),
            Ok(body) => {
                outcome.answered += 1;
                outcome.body_bytes += body as u64;
                outcome.latencies.record(ended.saturating_duration_since(from));
                if ended < self.ends {
                    outcome.completed += 1;
                    let share = ended.duration_since(self.began).as_secs_f64() / self.part.load.length.as_secs_f64();
                    let parts = outcome.parts.len();
                    if let Some(part) = outcome.parts.get_mut((share * parts as f64) as usize) {
                        *part += 1;
                    }
                }
            }
        }
    }
}
