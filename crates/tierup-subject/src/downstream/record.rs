//! Records the calls of one request, while they are made and until they have ended.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use hyper::{
    HeaderMap, StatusCode,
    header::CONTENT_TYPE,
    http::{request, response},
};
use tierup_parity::DownstreamCall;

/// The most calls that one request may make. The record of a request with more is cut.
pub(super) const MOST_CALLS: usize = 1000;

/// The calls that a server made while it answered one request, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub struct Record {
    pub calls: Vec<Recorded>,
    /// Whether nothing can be compared with this: bodies were too large to be kept or came only in part, or there were
    /// too many calls.
    pub is_cut: bool,
}

/// A call, and what the real service answered.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub call: DownstreamCall,
    pub answer: RecordedAnswer,
}

#[derive(Debug, Clone)]
pub enum RecordedAnswer {
    Whole {
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
    },
    /// The service was not reached, or its answer broke off.
    Broken,
}

/// How many calls are under way, when the last one began and when the last one ended.
#[derive(Debug, Default)]
pub(super) struct Activity {
    under_way: usize,
    begun: Option<Instant>,
    last: Option<Instant>,
}

impl Activity {
    pub(super) fn begin(&mut self) {
        self.under_way += 1;
        self.begun = Some(Instant::now());
    }

    pub(super) fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
        self.last = Some(Instant::now());
    }

    /// How much longer no call may come, until it was quiet for `settle` since both the last call and the answer.
    /// `None` while a call is under way.
    pub(super) fn quiet_in(&self, answered: Option<Instant>, settle: Duration) -> Option<Duration> {
        let last = self.last.max(answered);
        (self.under_way == 0).then(|| last.map_or(Duration::ZERO, |last| settle.saturating_sub(last.elapsed())))
    }
}

/// A record that is being made.
#[derive(Debug)]
pub(super) struct Recording {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    calls: Vec<Making>,
    activity: Activity,
    /// Bytes that may still be kept.
    room: usize,
    is_cut: bool,
}

#[derive(Debug)]
struct Making {
    call: DownstreamCall,
    head: Option<(StatusCode, HeaderMap)>,
    body: BytesMut,
    /// Whether the server has sent the whole call.
    is_asked: bool,
    /// Whether the service has sent the whole answer.
    is_whole: bool,
}

impl Making {
    fn new(call: DownstreamCall) -> Making {
        Making { call, head: None, body: BytesMut::new(), is_asked: false, is_whole: false }
    }
}

impl Recording {
    /// A recording that keeps up to `room` bytes of bodies.
    pub(super) fn new(room: usize) -> Recording {
        let state = State { calls: Vec::new(), activity: Activity::default(), room, is_cut: false };
        Recording { state: Mutex::new(state) }
    }

    /// A recording that keeps nothing, but knows whether calls are under way.
    pub(super) fn of_nothing() -> Recording {
        let recording = Recording::new(0);
        recording.lock().is_cut = true;
        recording
    }

    pub(super) fn begin(self: &Arc<Recording>, head: &request::Parts) -> OpenCall {
        let mut state = self.lock();
        state.activity.begin();
        let number = state.calls.len();
        match !state.is_cut && number < MOST_CALLS {
            true => state.calls.push(Making::new(call(head))),
            false => state.is_cut = true,
        }
        OpenCall { recording: Arc::clone(self), number }
    }

    pub(super) fn quiet_in(&self, answered: Option<Instant>, settle: Duration) -> Option<Duration> {
        self.lock().activity.quiet_in(answered, settle)
    }

    /// How long after the answer the last call began.
    pub(super) fn late(&self, answered: Instant) -> Duration {
        let begun = self.lock().activity.begun;
        begun.map_or(Duration::ZERO, |begun| begun.saturating_duration_since(answered))
    }

    pub(super) fn count(&self) -> usize {
        self.lock().calls.len()
    }

    /// Ends the recording, and returns the calls so far. Later ones are not kept.
    pub(super) fn take(&self) -> Record {
        let record = self.so_far();
        let mut state = self.lock();
        state.is_cut = true;
        state.calls = Vec::new();
        record
    }

    /// The calls so far.
    pub(super) fn so_far(&self) -> Record {
        let state = self.lock();
        let is_cut = state.is_cut || state.calls.iter().any(|making| !making.is_asked);
        let recorded = |making: &Making| {
            let answer = match &making.head {
                Some((status, headers)) if making.is_whole => RecordedAnswer::Whole {
                    status: *status,
                    headers: headers.clone(),
                    body: making.body.clone().freeze(),
                },
                _ => RecordedAnswer::Broken,
            };
            Recorded { call: making.call.clone(), answer }
        };
        Record { calls: state.calls.iter().map(recorded).collect(), is_cut }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct OpenCall {
    recording: Arc<Recording>,
    number: usize,
}

impl OpenCall {
    pub(super) fn request_data(&self, data: &[u8]) {
        self.keep(data.len(), |making| making.call.body.extend_from_slice(data));
    }

    pub(super) fn request_ended(&self) {
        self.keep(0, |making| making.is_asked = true);
    }

    pub(super) fn answered(&self, head: &response::Parts) {
        self.keep(0, |making| making.head = Some((head.status, head.headers.clone())));
    }

    pub(super) fn answer_data(&self, data: &[u8]) {
        self.keep(data.len(), |making| making.body.extend_from_slice(data));
    }

    pub(super) fn answer_ended(&self) {
        self.keep(0, |making| making.is_whole = true);
    }

    fn keep(&self, bytes: usize, keep: impl FnOnce(&mut Making)) {
        let mut state = self.recording.lock();
        if state.is_cut {
            return;
        }
        match state.room.checked_sub(bytes) {
            Some(room) => state.room = room,
            None => {
                state.is_cut = true;
                state.calls = Vec::new();
                return;
            }
        }
        if let Some(making) = state.calls.get_mut(self.number) {
            keep(making);
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.recording.lock().activity.end();
    }
}

/// A call whose body is still to come.
pub(super) fn call(head: &request::Parts) -> DownstreamCall {
    let content_type = head.headers.get(CONTENT_TYPE);
    DownstreamCall {
        method: head.method.to_string(),
        target: head.uri.path_and_query().map_or_else(|| head.uri.to_string(), ToString::to_string),
        content_type: content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
        body: Vec::new(),
    }
}
