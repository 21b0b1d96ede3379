//! Copies of what was asked and answered, for the candidate.
//!
//! Whether a request is in the sample is decided before anything is known of its answer, and by nothing but chance, so
//! that the sample is not one of small and fast requests. What is in the sample and does not become a copy is counted,
//! with the reason.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::{HeaderMap, Method, StatusCode, Uri, http::request, http::response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::proxy::body::Kept;

/// A request, and what control answered.
#[derive(Debug)]
pub struct Copied {
    pub method: Method,
    /// The path and query.
    pub target: Uri,
    /// As control was sent them.
    pub headers: HeaderMap,
    pub body: Bytes,
    pub answer: ControlAnswer,
    /// It counts as under way until this is dropped.
    pub permit: OwnedSemaphorePermit,
}

/// What control answered to the client.
#[derive(Debug)]
pub struct ControlAnswer {
    pub status: StatusCode,
    /// As the client was sent them.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// From the request's head to the answer's last byte.
    pub took: Duration,
}

/// Why a request of the sample has no copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCopied {
    /// Too many copies were under way.
    Busy,
    /// Its body, or its answer's, is above the limit.
    TooLarge,
    /// It was not answered whole: the client, or control, broke off.
    Incomplete,
    /// It has no end: server-sent events, or another protocol after an upgrade.
    Stream,
}

/// How many of the sample were copied, and how many were not, by reason.
#[derive(Debug, Default)]
pub struct CopyCounts {
    pub copied: AtomicU64,
    pub busy: AtomicU64,
    pub too_large: AtomicU64,
    pub incomplete: AtomicU64,
    pub stream: AtomicU64,
}

impl CopyCounts {
    fn count(&self, why: NotCopied) {
        let counter = match why {
            NotCopied::Busy => &self.busy,
            NotCopied::TooLarge => &self.too_large,
            NotCopied::Incomplete => &self.incomplete,
            NotCopied::Stream => &self.stream,
        };
        counter.fetch_add(1, Relaxed);
    }
}

/// Decides whether a request is in the sample.
pub type Sample = dyn Fn(&request::Parts) -> bool + Send + Sync;

/// Where copies go.
#[derive(Clone)]
pub struct Copies {
    sample: Arc<Sample>,
    permits: Arc<Semaphore>,
    queue: mpsc::UnboundedSender<Copied>,
    counts: Arc<CopyCounts>,
}

impl Copies {
    /// Copies of the requests that `sample` chooses, at most `width` at a time from the request's head to the drop of its
    /// [`Copied::permit`]; the queue that they arrive in is bounded by that.
    pub fn new(width: usize, sample: Arc<Sample>) -> (Copies, mpsc::UnboundedReceiver<Copied>) {
        let (queue, copied) = mpsc::unbounded_channel();
        (Copies { sample, permits: Arc::new(Semaphore::new(width)), queue, counts: Arc::default() }, copied)
    }

    pub fn counts(&self) -> &CopyCounts {
        &self.counts
    }

    /// Begins a copy of a request that is in the sample, if there is a permit.
    pub(crate) fn begin(&self, head: &request::Parts, limit: usize) -> Option<Begun> {
        if !(self.sample)(head) {
            return None;
        }
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            self.counts.count(NotCopied::Busy);
            return None;
        };
        Some(Begun {
            copies: Some(self.clone()),
            began: Instant::now(),
            method: head.method.clone(),
            target: head.uri.clone(),
            headers: HeaderMap::new(),
            body: Rc::new(RefCell::new(Kept::new(limit))),
            permit: Some(permit),
        })
    }
}

/// A request that is being copied.
pub(crate) struct Begun {
    /// `None` once it is known what became of it.
    copies: Option<Copies>,
    began: Instant,
    method: Method,
    target: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Rc<RefCell<Kept>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Begun {
    /// Control's answer begins.
    pub(crate) fn answered(self, head: &response::Parts, limit: usize) -> Copying {
        Copying { request: self, status: head.status, headers: head.headers.clone(), answer: Kept::new(limit) }
    }

    pub(crate) fn given_up(mut self, why: NotCopied) {
        if let Some(copies) = self.copies.take() {
            copies.counts.count(why);
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(copies) = self.copies.take() {
            copies.counts.count(NotCopied::Incomplete);
        }
    }
}

/// An exchange that is being copied: control answers.
pub(crate) struct Copying {
    request: Begun,
    status: StatusCode,
    headers: HeaderMap,
    pub(crate) answer: Kept,
}

impl Copying {
    /// The answer has passed whole.
    pub(crate) fn finish(mut self) {
        let took = self.request.began.elapsed();
        let asked = self.request.body.borrow_mut().whole();
        let answered = self.answer.whole();
        let (Some(body), Some(answer)) = (asked, answered) else {
            let is_too_large = self.answer.is_too_large() || self.request.body.borrow().is_too_large();
            self.request.given_up(if is_too_large { NotCopied::TooLarge } else { NotCopied::Incomplete });
            return;
        };
        let (Some(copies), Some(permit)) = (self.request.copies.take(), self.request.permit.take()) else { return };
        copies.counts.copied.fetch_add(1, Relaxed);
        let copied = Copied {
            method: self.request.method.clone(),
            target: self.request.target.clone(),
            headers: std::mem::take(&mut self.request.headers),
            body,
            answer: ControlAnswer {
                status: self.status,
                headers: std::mem::take(&mut self.headers),
                body: answer,
                took,
            },
            permit,
        };
        // Nobody takes copies any more: the proxy is about to end.
        let _ = copies.queue.send(copied);
    }
}
