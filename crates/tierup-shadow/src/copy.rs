//! Copies of what was asked and answered, for the candidate.
//!
//! Whether a request is in the sample is decided before anything is known of its answer, and by nothing but chance, so
//! that the sample is not one of small and fast requests. What is in the sample and does not become a copy is counted,
//! with the reason.

mod recordings;

use std::{
    cell::RefCell,
    mem,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use hyper::{HeaderMap, Method, StatusCode, Uri, http::request, http::response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use self::recordings::Recordings;

/// A request whose answer takes longer is not copied: it would keep its permit from others.
const LONGEST: Duration = Duration::from_secs(30);

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
    /// From the request's head to the answer's.
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
    /// It has no end, or takes too long: server-sent events, another protocol after an upgrade, a long poll.
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
}

/// One thread's copies that are being made.
pub(crate) struct CopyDesk {
    copies: Copies,
    limit: usize,
    open: Recordings,
}

impl CopyDesk {
    /// `limit` is that of each body, in bytes.
    pub(crate) fn new(copies: Copies, limit: usize) -> CopyDesk {
        CopyDesk { copies, limit, open: Recordings::new() }
    }

    /// Begins a copy of a request that is in the sample, if there is a permit.
    pub(crate) fn begin(&self, head: &request::Parts) -> Option<Rc<RefCell<Recording>>> {
        if !(self.copies.sample)(head) {
            return None;
        }
        let Ok(permit) = Arc::clone(&self.copies.permits).try_acquire_owned() else {
            self.copies.counts.count(NotCopied::Busy);
            return None;
        };
        let recording = Rc::new(RefCell::new(Recording {
            open: Some(Open { copies: self.copies.clone(), permit }),
            began: Instant::now(),
            method: head.method.clone(),
            target: head.uri.clone(),
            headers: HeaderMap::new(),
            body: Kept::new(self.limit),
            answer: None,
            answer_limit: self.limit,
        }));
        self.open.add(&recording);
        Some(recording)
    }

    /// Gives up those that take too long. To be called now and then.
    pub(crate) fn sweep(&self) {
        self.open.sweep();
    }
}

/// An exchange that is being copied.
pub(crate) struct Recording {
    /// `None` once it is known what became of it.
    open: Option<Open>,
    began: Instant,
    method: Method,
    target: Uri,
    headers: HeaderMap,
    body: Kept,
    answer: Option<(StatusCode, HeaderMap, Kept, Duration)>,
    answer_limit: usize,
}

struct Open {
    copies: Copies,
    permit: OwnedSemaphorePermit,
}

impl Recording {
    /// What control is sent.
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

    /// Control's answer begins.
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

    /// The answer has passed whole.
    pub(crate) fn answer_ended(&mut self) {
        // Who answers before the request's end may not have read it.
        if !self.body.ended {
            return self.give_up(NotCopied::Incomplete);
        }
        let (Some(Open { copies, permit }), Some((status, headers, kept, took))) =
            (self.open.take(), self.answer.take())
        else {
            return;
        };
        copies.counts.copied.fetch_add(1, Relaxed);
        let copied = Copied {
            method: self.method.clone(),
            target: self.target.clone(),
            headers: mem::take(&mut self.headers),
            body: mem::take(&mut self.body.bytes).freeze(),
            answer: ControlAnswer { status, headers, body: kept.bytes.freeze(), took },
            permit,
        };
        // Nobody takes copies any more: the proxy is about to end.
        let _ = copies.queue.send(copied);
    }

    /// There will be no copy: nothing is kept of it from here on.
    pub(crate) fn give_up(&mut self, why: NotCopied) {
        if let Some(open) = self.open.take() {
            open.copies.counts.count(why);
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
struct Kept {
    bytes: BytesMut,
    limit: usize,
    ended: bool,
}

impl Kept {
    fn new(limit: usize) -> Kept {
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

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    #[test]
    fn what_has_ended_is_forgotten_while_one_goes_on() {
        let (copies, _copied) = Copies::new(64, Arc::new(|_| true));
        let desk = CopyDesk::new(copies, 1024);
        let (head, ()) = Request::new(()).into_parts();
        let long = desk.begin(&head).expect("there is a permit");
        for _ in 0..10_000 {
            drop(desk.begin(&head).expect("there is a permit"));
        }
        assert!(desk.open.len() <= 128, "{}", desk.open.len());
        desk.sweep();
        assert_eq!(desk.open.len(), 1);
        drop(long);
        desk.sweep();
        assert_eq!(desk.open.len(), 0);
    }
}
