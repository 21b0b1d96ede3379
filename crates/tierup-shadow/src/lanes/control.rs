//! Control's lanes: processes that each answer one request of the sample at a time, with recorded calls.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use hyper::HeaderMap;
use tierup_subject::{Attribution, Passage, Record, Relay};

use super::{
    SPOILT,
    by_header::{ByHeader, Marked},
    settle::Settle,
    settled,
};
use crate::collector::Route;

/// Where control's calls are recorded, for all threads.
#[derive(Debug, Clone)]
pub struct ControlLanes(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    attribution: Attribution,
    lanes: Vec<Lane>,
    /// Where the next search for a free lane begins.
    next: AtomicUsize,
    settle: Settle,
    marked: Marked,
}

#[derive(Debug)]
struct Lane {
    /// `None` if its requests go where all others go.
    address: Option<SocketAddr>,
    relay: Relay,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// The lane is free from this time on.
    Free(Instant),
    Taken,
}

/// Why a request has no lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoLane {
    /// Each lane has a request, or rests.
    Busy,
    /// The request has no key of its own.
    Unattributable,
}

impl ControlLanes {
    /// Lanes of control's processes, each with its own relay to the services that it calls.
    pub fn processes(lanes: Vec<(SocketAddr, Relay)>) -> ControlLanes {
        let lanes = lanes.into_iter().map(|(address, relay)| (Some(address), relay)).collect();
        ControlLanes::new(Attribution::Lane, lanes)
    }

    /// The one process that answers all requests, and forwards a header in its calls.
    pub fn header(attribution: Attribution, relay: Relay) -> ControlLanes {
        ControlLanes::new(attribution, vec![(None, relay)])
    }

    fn new(attribution: Attribution, lanes: Vec<(Option<SocketAddr>, Relay)>) -> ControlLanes {
        let began = Instant::now();
        let lane = |(address, relay)| Lane { address, relay, state: Mutex::new(State::Free(began)) };
        let lanes = lanes.into_iter().map(lane).collect();
        let (next, settle, marked) = Default::default();
        ControlLanes(Arc::new(Inner { attribution, lanes, next, settle, marked }))
    }

    /// The addresses of the lanes that have one.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.0.lanes.iter().filter_map(|lane| lane.address)
    }

    /// How many of control's calls belong to no request of the sample. With a header, those are calls of other
    /// requests.
    pub fn outside(&self) -> u64 {
        self.0.lanes.iter().map(|lane| lane.relay.outside()).sum()
    }

    /// Notes a request that control is about to get, in the sample or not. `None` if lanes tell requests apart, or if
    /// it has no key.
    pub(crate) fn begin(&self, headers: &HeaderMap) -> Option<Passage> {
        self.0.lanes.first()?.relay.begin(headers)
    }

    /// Takes a lane for a request of the sample. `passage` belongs to the request.
    pub(crate) fn take(&self, route: Route, passage: Option<&Passage>) -> Result<Taken, NoLane> {
        let Inner { attribution, lanes, next, settle, .. } = &*self.0;
        let taken = |number, key: &str, by_header| Taken {
            lanes: self.clone(),
            number,
            key: key.to_owned(),
            answered: None,
            by_header,
        };
        if *attribution != Attribution::Lane {
            let (passage, lane) = passage.zip(lanes.first()).ok_or(NoLane::Unattributable)?;
            let by_header = ByHeader::begin(passage, route, &lane.relay, settle.time());
            let is_open = by_header.is_some() && lane.relay.open(passage.key());
            return is_open.then(|| taken(0, passage.key(), by_header)).ok_or(NoLane::Unattributable);
        }
        // A lane has one request at a time, so it needs no key.
        let key = "";
        let (first, now) = (next.fetch_add(1, Relaxed), Instant::now());
        for offset in 0..lanes.len() {
            let number = (first.wrapping_add(offset)) % lanes.len();
            let lane = &lanes[number];
            let mut state = lane.state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_free = matches!(*state, State::Free(from) if from <= now);
            // A late call of the previous request would count as this one's.
            let is_quiet = || lane.relay.quiet_in(key, None, settle.time()) == Some(Duration::ZERO);
            if is_free && is_quiet() && lane.relay.open(key) {
                *state = State::Taken;
                return Ok(taken(number, key, None));
            }
        }
        Err(NoLane::Busy)
    }
}

/// A request in a lane. Dropping it frees the lane.
#[derive(Debug)]
pub(crate) struct Taken {
    lanes: ControlLanes,
    number: usize,
    key: String,
    by_header: Option<ByHeader>,
    /// When control's answer had passed completely.
    answered: Option<Instant>,
}

impl Taken {
    /// Which of [`ControlLanes::addresses`] gets the request; `None` if it goes where all others go.
    pub(crate) fn lane(&self) -> Option<usize> {
        self.at().address.map(|_| self.number)
    }

    /// Notes that the answer has passed completely.
    pub(crate) fn answered(&mut self) {
        self.answered = Some(Instant::now());
    }

    /// Control's calls, once they seem to have ended; or the reason why there is no record.
    pub(crate) async fn settled(&mut self) -> Result<Record, &'static str> {
        let (relay, answered) = (&self.at().relay, self.answered);
        if !settled(|| relay.quiet_in(&self.key, answered, self.settle())).await {
            // The lane then rests for a while.
            self.answered = None;
            return Err("control's calls to other services go on and on");
        }
        self.usable(relay.record(&self.key))
    }

    /// How many calls there have been so far.
    pub(crate) fn calls(&self) -> usize {
        self.at().relay.calls(&self.key)
    }

    /// How long a server must make no call for its calls to have ended.
    pub(crate) fn settle(&self) -> Duration {
        self.lanes.0.settle.time()
    }

    /// All of control's calls, including late ones.
    pub(crate) fn close(self) -> Result<Record, &'static str> {
        if let Some(answered) = self.answered {
            self.lanes.0.settle.learn(self.at().relay.late(&self.key, answered));
        }
        self.usable(self.at().relay.close(&self.key))
    }

    fn usable(&self, record: Record) -> Result<Record, &'static str> {
        if let Some(by_header) = &self.by_header {
            by_header.check(&record, &self.at().relay, &self.lanes.0.marked)?;
        }
        match record.is_cut {
            true => Err("control's calls to other services are too many, too large, or broke off"),
            false => Ok(record),
        }
    }

    fn at(&self) -> &Lane {
        &self.lanes.0.lanes[self.number]
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let lane = self.at();
        lane.relay.close(&self.key);
        // After an answer, calls may still come for a while. If they were waited for, the relay is already quiet.
        let from = match self.answered {
            Some(answered) => answered + self.settle(),
            None => Instant::now() + SPOILT,
        };
        *lane.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Free(from);
    }
}
