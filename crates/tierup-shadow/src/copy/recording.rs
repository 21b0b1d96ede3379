//! A copy in the making. In: a request and its answer, as they pass. Out: a [`Copied`], or why there is none.

use std::{
    cell::{Cell, RefCell},
    mem,
    rc::{Rc, Weak},
    time::{Duration, Instant},
};

use hyper::{HeaderMap, Method, StatusCode, Uri, http::response};
use tierup_rollout::{Side, evidence::Pair};
use tierup_subject::Passage;

use super::{
    ClientAnswer, Copied, Copies, NotCopied, Permit,
    kept::{Kept, of_headers},
    longest::Longest,
    not_copied,
};
use crate::{
    collector::{Counter, Route},
    lanes::Taken,
    shares::Held,
};

/// An exchange that is being copied.
pub(crate) struct Recording {
    /// `None` once the copy is made or given up, or if there is no copy.
    pub(super) open: Option<Open>,
    /// The lane of control's process until it has answered, even if the copy is given up.
    pub(super) taken: Option<Taken>,
    /// Marks the request as under way, if calls are told apart by a header.
    pub(super) passage: Option<Passage>,
    pub(super) route: Route,
    pub(super) by: Side,
    pub(super) client: u64,
    pub(super) is_network: bool,
    pub(super) began: Instant,
    pub(super) is_safe: bool,
    pub(super) method: Method,
    pub(super) target: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Kept,
    pub(super) answer: Option<(StatusCode, HeaderMap, Kept, Duration)>,
    pub(super) answer_limit: usize,
    /// Is told how long the answer took.
    pub(super) longest: Rc<Longest>,
}

pub(super) struct Open {
    pub(super) copies: Copies,
    pub(super) counter: Rc<Counter>,
    pub(super) pair: Pair,
    /// The memory of the recording.
    pub(super) memory: Held,
}

impl Recording {
    /// Records the headers that the server gets.
    pub(crate) fn asked(&mut self, headers: &HeaderMap) {
        let Some(open) = &self.open else { return };
        if open.memory.grow(of_headers(headers)) {
            self.headers = headers.clone();
        } else {
            self.give_up(NotCopied::NoMemory);
        }
    }

    /// Whether there is a copy, and it was not given up.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn request_data(&mut self, data: &[u8]) {
        let added = self.open.as_ref().map(|open| self.body.add(data, &open.memory));
        if let Some(Err(why)) = added {
            self.give_up(why);
        }
    }

    pub(crate) fn request_ended(&mut self) {
        self.body.ended = true;
    }

    /// Records the head of the answer.
    pub(crate) fn answered(&mut self, head: &response::Parts) {
        let Some(open) = &self.open else { return };
        if open.memory.grow(of_headers(&head.headers)) {
            let took = self.began.elapsed();
            self.answer = Some((head.status, head.headers.clone(), Kept::new(self.answer_limit), took));
        } else {
            self.give_up(NotCopied::NoMemory);
        }
    }

    pub(crate) fn answer_data(&mut self, data: &[u8]) {
        if let (Some(open), Some((.., kept, _))) = (&self.open, &mut self.answer)
            && let Err(why) = kept.add(data, &open.memory)
        {
            self.give_up(why);
        }
    }

    /// The number of the lane in which control must answer.
    pub(crate) fn lane(&self) -> Option<usize> {
        self.taken.as_ref().and_then(Taken::lane)
    }

    /// The lane's process cannot be reached. Another one answers, whose calls are unknown.
    pub(crate) fn leave_lane(&mut self) {
        self.taken = None;
        self.give_up(NotCopied::NoLane);
    }

    /// The answer has passed completely.
    pub(crate) fn answer_ended(&mut self) {
        self.taken.iter_mut().for_each(Taken::answered);
        self.passage = None;
        self.longest.answered(self.route, self.began.elapsed());
        // A server that answers before the end of the request may not have read all of it.
        if !self.body.ended {
            return self.give_up(NotCopied::Incomplete);
        }
        let Some(place) = self.open.as_ref().map(|open| open.copies.places.take(self.route, 1)) else { return };
        if place.is_none() {
            return self.give_up(NotCopied::Busy);
        }
        let (Some(Open { copies, pair, memory, .. }), Some((status, headers, mut kept, took))) =
            (self.open.take(), self.answer.take())
        else {
            return;
        };
        let copied = Copied {
            method: self.method.clone(),
            target: self.target.clone(),
            headers: mem::take(&mut self.headers),
            body: self.body.take(),
            is_safe: self.is_safe,
            pair,
            by: self.by,
            answer: ClientAnswer { status, headers, body: kept.take(), took },
            taken: self.taken.take(),
            route: self.route,
            client: self.client,
            is_network: self.is_network,
            permit: Some(Permit { memory, place }),
        };
        // The queue is closed only if the proxy is about to end.
        let _ = copies.queue.send(copied);
    }

    /// Gives up if it takes too long. Returns whether it goes on.
    pub(super) fn sweep(&mut self, longest: &Longest) -> bool {
        if self.began.elapsed() >= longest.of(self.route) {
            self.give_up(NotCopied::Stream);
        }
        self.open.is_some()
    }

    /// Gives up the copy, and frees what was recorded.
    pub(crate) fn give_up(&mut self, why: NotCopied) {
        if let Some(open) = self.open.take() {
            not_copied(&open.counter, self.route, open.pair, why);
        }
        self.headers = HeaderMap::new();
        self.body.clear();
        self.answer = None;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.give_up(NotCopied::Incomplete);
    }
}

/// The list may have this many entries before ended ones are removed.
const FEW: usize = 64;

/// A list with at most twice as many entries as copies under way. It must be short, as an entry keeps its recording's
/// memory even after the recording has ended.
pub(super) struct Recordings {
    list: RefCell<Vec<Weak<RefCell<Recording>>>>,
    most: Cell<usize>,
}

impl Recordings {
    pub(super) fn new() -> Recordings {
        Recordings { list: RefCell::default(), most: Cell::new(FEW) }
    }

    pub(super) fn add(&self, recording: &Rc<RefCell<Recording>>) {
        let mut list = self.list.borrow_mut();
        if list.len() >= self.most.get() {
            list.retain(|recording| recording.strong_count() > 0);
            self.most.set(FEW.max(2 * list.len()));
        }
        list.push(Rc::downgrade(recording));
    }

    /// Gives up copies that take too long. Call it now and then.
    pub(super) fn sweep(&self, longest: &Longest) {
        self.list
            .borrow_mut()
            .retain(|recording| recording.upgrade().is_some_and(|recording| recording.borrow_mut().sweep(longest)));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.list.borrow().len()
    }
}
