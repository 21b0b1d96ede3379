//! Mismatches that are looked at again, off the path of any request: both servers are asked the same once more, several
//! times, before a difference counts as [confirmed](tierup_rollout::evidence::Event::Confirmed).
//!
//! In: mismatches of requests that may be repeated. Out: at most one at a time, and ten a minute, to be asked again.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use tierup_parity::Observation;
use tokio::sync::mpsc::UnboundedSender;

use crate::copy::Copied;

/// So many begin in [`MINUTE`].
const MOST: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// Where one was lost, so that nobody answers, another may begin after this time.
const LOST: Duration = Duration::from_secs(600);

/// A mismatch that is looked at again.
pub(super) struct Doubt {
    /// It counts as under way, so doubts are bounded by permits, too.
    pub(super) copied: Copied,
    /// Control's first answer.
    pub(super) control: Observation,
    /// How often it was confirmed so far.
    pub(super) times: u32,
}

/// What both servers answered when they were asked again.
pub(super) struct Again {
    pub(super) doubt: Doubt,
    pub(super) control: Observation,
    pub(super) candidate: Observation,
}

/// The comparing thread's doubts.
pub(super) struct Doubts {
    ask: UnboundedSender<Doubt>,
    /// Since when one is looked at.
    open: Option<Instant>,
    began: VecDeque<Instant>,
}

impl Doubts {
    pub(super) fn new(ask: UnboundedSender<Doubt>) -> Doubts {
        Doubts { ask, open: None, began: VecDeque::new() }
    }

    /// Whether a mismatch may be looked at again now.
    pub(super) fn has_room(&mut self, now: Instant) -> bool {
        while self.began.front().is_some_and(|began| now - *began >= MINUTE) {
            self.began.pop_front();
        }
        self.began.len() < MOST && self.open.is_none_or(|since| now - since >= LOST)
    }

    /// Begins with one, where there is room.
    pub(super) fn begin(&mut self, doubt: Doubt, now: Instant) {
        self.began.push_back(now);
        self.ask(doubt, now);
    }

    /// Asks once more.
    pub(super) fn ask(&mut self, doubt: Doubt, now: Instant) {
        self.open = self.ask.send(doubt).is_ok().then_some(now);
    }

    /// The matter is settled.
    pub(super) fn end(&mut self) {
        self.open = None;
    }
}
