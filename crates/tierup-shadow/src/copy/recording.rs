//! A copy that is being made. In: a request and its answer, as they pass. Out: a [`Copied`], or the reason why there is none.

use std::{
    mem,
    rc::Rc,
    time::{Duration, Instant},
};

use bytes::BytesMut;
use hyper::{HeaderMap, Method, StatusCode, Uri, http::response};
use tierup_rollout::{Side, evidence::Pair};
use tierup_subject::Passage;
use tokio::sync::OwnedSemaphorePermit;

use super::{ClientAnswer, Copied, Copies, NotCopied, not_copied};
use crate::{
    collector::{Counter, Route},
    lanes::Taken,
};

/// A request whose answer takes longer is not copied: it would keep its permit from others.
const LONGEST: Duration = Duration::from_secs(30);

/// An exchange that is being copied.
pub(crate) struct Recording {
    /// `None` once it is known what became of it, or if there is no copy.
    pub(super) open: Option<Open>,
    /// The lane that control's process answers in, until it has, whatever becomes of the copy.
    pub(super) taken: Option<Taken>,
    /// It is under way, where calls belong to requests by a header.
    pub(super) passage: Option<Passage>,
    pub(super) route: Route,
    pub(super) by: Side,
    pub(super) client: u64,
    pub(super) is_public: bool,
    pub(super) began: Instant,
    pub(super) is_safe: bool,
    pub(super) method: Method,
    pub(super) target: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Kept,
    pub(super) answer: Option<(StatusCode, HeaderMap, Kept, Duration)>,
    pub(super) answer_limit: usize,
}

pub(super) struct Open {
    pub(super) copies: Copies,
    pub(super) counter: Rc<Counter>,
    pub(super) pair: Pair,
    pub(super) permit: OwnedSemaphorePermit,
}

impl Recording {
    /// What the server is sent.
    pub(crate) fn asked(&mut self, headers: &HeaderMap) {
        if self.open.is_some() {
            self.headers = headers.clone();
        }
    }

    pub(crate) fn request_data(&mut self, data: &[u8]) {
        if self.open.is_some() && self.body.add(data).is_err() {
            self.give_up(NotCopied::TooLarge);
        }
    }

    pub(crate) fn request_ended(&mut self) {
        self.body.ended = true;
    }

    /// The answer begins.
    pub(crate) fn answered(&mut self, head: &response::Parts) {
        if self.open.is_some() {
            let took = self.began.elapsed();
            self.answer = Some((head.status, head.headers.clone(), Kept::new(self.answer_limit), took));
        }
    }

    pub(crate) fn answer_data(&mut self, data: &[u8]) {
        let is_too_large = self.answer.as_mut().is_some_and(|(.., kept, _)| kept.add(data).is_err());
        if is_too_large {
            self.give_up(NotCopied::TooLarge);
        }
    }

    /// The lane in which control must answer, by its number.
    pub(crate) fn lane(&self) -> Option<usize> {
        self.taken.as_ref().and_then(Taken::lane)
    }

    /// The lane's process is not there: another one answers, and what that calls is not known.
    pub(crate) fn leave_lane(&mut self) {
        self.taken = None;
        self.give_up(NotCopied::NoLane);
    }

    /// The answer has passed whole.
    pub(crate) fn answer_ended(&mut self) {
        self.taken.iter_mut().for_each(Taken::answered);
        self.passage = None;
        // Who answers before the request's end may not have read it.
        if !self.body.ended {
            return self.give_up(NotCopied::Incomplete);
        }
        let (Some(Open { copies, pair, permit, .. }), Some((status, headers, kept, took))) =
            (self.open.take(), self.answer.take())
        else {
            return;
        };
        let copied = Copied {
            method: self.method.clone(),
            target: self.target.clone(),
            headers: mem::take(&mut self.headers),
            body: mem::take(&mut self.body.bytes).freeze(),
            is_safe: self.is_safe,
            pair,
            by: self.by,
            answer: ClientAnswer { status, headers, body: kept.bytes.freeze(), took },
            taken: self.taken.take(),
            route: self.route,
            client: self.client,
            is_public: self.is_public,
            permit: Some(permit),
        };
        // Nobody takes copies any more: the proxy is about to end.
        let _ = copies.queue.send(copied);
    }

    /// Gives up where it takes too long. Out: whether it goes on.
    pub(super) fn sweep(&mut self) -> bool {
        if self.began.elapsed() >= LONGEST {
            self.give_up(NotCopied::Stream);
        }
        self.open.is_some()
    }

    /// There will be no copy: nothing is kept of it from here on.
    pub(crate) fn give_up(&mut self, why: NotCopied) {
        if let Some(open) = self.open.take() {
            not_copied(&open.counter, self.route, open.pair, why);
        }
        self.headers = HeaderMap::new();
        self.body.bytes = BytesMut::new();
        self.answer = None;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.give_up(NotCopied::Incomplete);
    }
}

/// The bytes of a body that has passed.
#[derive(Debug)]
pub(super) struct Kept {
    bytes: BytesMut,
    limit: usize,
    ended: bool,
}

impl Kept {
    pub(super) fn new(limit: usize) -> Kept {
        Kept { bytes: BytesMut::new(), limit, ended: false }
    }

    /// Fails where there is no room.
    fn add(&mut self, data: &[u8]) -> Result<(), NotCopied> {
        if data.len() > self.limit - self.bytes.len() {
            return Err(NotCopied::TooLarge);
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }
}
