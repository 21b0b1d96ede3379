//! The load to put on a server, and its outcome.

use std::{net::SocketAddr, time::Duration};

use crate::{histogram::Latencies, record::Failures};

/// The load to put on a server, and how.
#[derive(Debug, Clone)]
pub struct Load {
    pub address: SocketAddr,
    /// Connections that are kept open; at least one for each worker is used.
    pub connections: usize,
    /// Threads of this process.
    pub workers: usize,
    pub pace: Pace,
    pub length: Duration,
    /// The limit for connecting, and for one request from sending to the last byte.
    pub timeout: Duration,
    /// Which request is sent first: an offset into [`Workload::order`](super::Workload::order).
    pub offset: usize,
    /// Closed loop: whether all connections together keep the order, each taking the next request. Otherwise each
    /// connection follows it from a place of its own. The open loop always keeps it.
    pub in_order: bool,
    /// The number of equal parts of `length` whose right answers are counted separately.
    pub parts: usize,
    /// The processors to which the generating threads are pinned, if any.
    pub processors: Option<Vec<usize>>,
}

/// When the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// On each connection, when the answer to the last request has arrived: a closed loop.
    Closed,
    /// At this many requests per second, evenly spaced and independent of the answers: an open loop (Schroeder, Wierman
    /// and Harchol-Balter, "Open Versus Closed", NSDI 2006).
    Open { rate: f64 },
}

/// The outcome of a load. See [`crate::record::Slice`] for the fields of the same names.
#[derive(Debug, Clone, Default)]
pub struct LoadOutcome {
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

impl LoadOutcome {
    /// Adds the outcome of another worker.
    pub(super) fn add(&mut self, other: &LoadOutcome) {
        self.completed += other.completed;
        if let Some(more) = other.steady {
            *self.steady.get_or_insert(0.0) += more;
        }
        self.answered += other.answered;
        self.body_bytes += other.body_bytes;
        self.failures += other.failures;
        // At an extreme rate, each worker's share may reach the largest integer.
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
