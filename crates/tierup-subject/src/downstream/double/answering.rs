//! The calls of one request to a candidate: how they are answered, and which ones it has made.
//!
//! In: control's [`Record`]. Out: the recorded answers, and the candidate's calls, as many as there is room for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tierup_parity::{DownstreamCall, Policy, is_same_call};

use super::super::record::{Activity, MOST_CALLS, Record, RecordedAnswer};

/// A request that the candidate is about to get.
#[derive(Debug)]
pub struct Case {
    /// Control's calls for the same request, with their answers.
    pub record: Record,
    /// The rules that tell whether two calls are the same.
    pub policy: Policy,
}

/// The calls that a candidate made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// In order; empty if there were too many.
    pub calls: Vec<DownstreamCall>,
    /// Whether there were more calls, or longer ones, than are kept for a request.
    pub are_too_many: bool,
}

/// A case, and the calls that the candidate has made so far.
#[derive(Debug)]
pub(super) struct Answering {
    case: Case,
    /// Which of the recorded calls the candidate has made.
    made: Vec<bool>,
    pub(super) calls: Vec<DownstreamCall>,
    /// How many calls began.
    begun: usize,
    /// Bytes of bodies that may still be kept.
    room: usize,
    pub(super) are_too_many: bool,
    pub(super) activity: Activity,
}

pub(super) fn lock(answering: &Mutex<Answering>) -> MutexGuard<'_, Answering> {
    answering.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answering {
    /// `room` is how many bytes of bodies are kept.
    pub(super) fn new(case: Case, room: usize) -> Answering {
        Answering {
            made: vec![false; case.record.calls.len()],
            case,
            calls: Vec::new(),
            begun: 0,
            room,
            are_too_many: false,
            activity: Activity::default(),
        }
    }

    /// Notes that a call begins. Returns `false` if it is one too many.
    pub(super) fn begin(&mut self) -> bool {
        self.begun += 1;
        if self.begun > MOST_CALLS {
            self.give_up();
        }
        !self.are_too_many
    }

    /// Reserves room for this many bytes of a body. Returns `false` if there is none.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        match self.room.checked_sub(bytes) {
            Some(room) => self.room = room,
            None => self.give_up(),
        }
        !self.are_too_many
    }

    /// Drops the calls that are kept, and keeps no more.
    fn give_up(&mut self) {
        self.are_too_many = true;
        self.calls = Vec::new();
    }

    /// The real service's answer to the same call of control's; `None` if control made no such call.
    pub(super) fn find(&mut self, call: &DownstreamCall) -> Option<RecordedAnswer> {
        let Answering { case: Case { record, policy }, made, .. } = self;
        let at = |is_like: &dyn Fn(usize, &DownstreamCall) -> bool| {
            record.calls.iter().enumerate().position(|(number, recorded)| is_like(number, &recorded.call))
        };
        let at = at(&|number, recorded| !made[number] && recorded == call)
            .or_else(|| at(&|number, recorded| !made[number] && is_same_call(recorded, call, policy)))
            .or_else(|| at(&|_, recorded| is_same_call(recorded, call, policy)))?;
        made[at] = true;
        Some(record.calls[at].answer.clone())
    }
}

/// A call that is under way until this is dropped.
pub(super) struct UnderWay(pub(super) Arc<Mutex<Answering>>);

impl UnderWay {
    pub(super) fn new(answering: Arc<Mutex<Answering>>) -> UnderWay {
        lock(&answering).activity.begin();
        UnderWay(answering)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        lock(&self.0).activity.end();
    }
}
