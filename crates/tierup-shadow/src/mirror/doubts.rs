//! Mismatches that are checked again, off the path of any request: both servers are asked the same several times more,
//! over more than a minute, before a difference counts as [confirmed](tierup_rollout::evidence::Event::Confirmed).
//! Mismatches between control and its twin are checked in the same way, as they show what equal processes do.
//!
//! In: mismatches of requests that may be repeated. Out: a few at a time, and ten a minute, to be asked again.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use hyper::Uri;
use tierup_parity::Observation;
use tierup_rollout::evidence::Pair;
use tokio::sync::mpsc::UnboundedSender;

use crate::{copy::Copied, shares::Held};

/// How many checks may begin in [`MINUTE`].
const MOST: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// How many checks may be open in total, and for one client, whose odd requests must not hide others' mismatches.
const MOST_OPEN: usize = 16;
const MOST_OF_CLIENT: usize = 4;
/// How many open checks may be of one request, by different clients: a server may have only one address.
const MOST_OF_REQUEST: usize = 3;
/// If a check was lost and gets no answers, another may begin after this time.
const LOST: Duration = Duration::from_secs(600);

/// A mismatch that is being checked.
pub(super) struct Doubt {
    pub(super) copied: Copied,
    /// Control's first answer.
    pub(super) control: Observation,
    /// How often it was confirmed so far.
    pub(super) times: u32,
}

/// The answers of both servers when they were asked again.
pub(super) struct Again {
    pub(super) doubt: Doubt,
    pub(super) control: Observation,
    /// The answer of the candidate, or of the twin.
    pub(super) other: Observation,
    /// The memory of both answers, and of comparing.
    pub(super) memory: Option<Held>,
}

/// The comparing thread's open checks.
pub(super) struct Doubts {
    ask: UnboundedSender<Doubt>,
    open: Vec<Open>,
    began: VecDeque<Instant>,
}

/// An open check.
struct Open {
    since: Instant,
    client: u64,
    pair: Pair,
    target: Uri,
}

impl Open {
    fn is(&self, copied: &Copied) -> bool {
        self.is_of_request(copied) && self.client == copied.client
    }

    fn is_of_request(&self, copied: &Copied) -> bool {
        self.pair == copied.pair && self.target == copied.target
    }
}

impl Doubts {
    pub(super) fn new(ask: UnboundedSender<Doubt>) -> Doubts {
        Doubts { ask, open: Vec::new(), began: VecDeque::new() }
    }

    /// Whether this mismatch may be checked now. The same request of a client is checked only once at a time.
    pub(super) fn has_room(&mut self, copied: &Copied, now: Instant) -> bool {
        while self.began.front().is_some_and(|began| now - *began >= MINUTE) {
            self.began.pop_front();
        }
        self.open.retain(|open| now - open.since < LOST);
        self.began.len() < MOST
            && self.open.len() < MOST_OPEN
            && self.open.iter().filter(|open| open.client == copied.client).count() < MOST_OF_CLIENT
            && self.open.iter().filter(|open| open.is_of_request(copied)).count() < MOST_OF_REQUEST
            && !self.open.iter().any(|open| open.is(copied))
    }

    /// Begins a check, which there must be room for.
    pub(super) fn begin(&mut self, mut doubt: Doubt, now: Instant) {
        // The check takes long, and other copies need the place: checks have their own limits. The memory stays taken.
        doubt.copied.permit.iter_mut().for_each(|permit| permit.place = None);
        let Copied { client, pair, ref target, .. } = doubt.copied;
        self.began.push_back(now);
        self.open.push(Open { since: now, client, pair, target: target.clone() });
        self.ask(doubt);
    }

    /// Asks both servers once more.
    pub(super) fn ask(&mut self, doubt: Doubt) {
        if let Err(lost) = self.ask.send(doubt) {
            self.end(&lost.0.copied);
        }
    }

    /// Ends the check.
    pub(super) fn end(&mut self, copied: &Copied) {
        self.open.retain(|open| !open.is(copied));
    }
}
