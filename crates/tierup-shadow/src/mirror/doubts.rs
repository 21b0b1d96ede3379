//! Mismatches that are looked at again, off the path of any request: both servers are asked the same once more, several
//! times over more than a minute, before a difference counts as
//! [confirmed](tierup_rollout::evidence::Event::Confirmed). Those between control and its twin are looked at in the same
//! way, as they show what equal processes do.
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

/// So many begin in [`MINUTE`].
const MOST: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// So many are open, and so many of them a client's: one that sends odd requests must not keep others' from being seen.
const MOST_OPEN: usize = 16;
const MOST_OF_CLIENT: usize = 4;
/// So many are of one request, of as many clients: a server may have only one address that clients ask for.
const MOST_OF_REQUEST: usize = 3;
/// Where one was lost, so that nobody answers, another may begin after this time.
const LOST: Duration = Duration::from_secs(600);

/// A mismatch that is looked at again.
pub(super) struct Doubt {
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
    /// The candidate's, or the twin's.
    pub(super) other: Observation,
    /// What both answers take, and comparing.
    pub(super) memory: Option<Held>,
}

/// The comparing thread's doubts.
pub(super) struct Doubts {
    ask: UnboundedSender<Doubt>,
    open: Vec<Open>,
    began: VecDeque<Instant>,
}

/// One that is looked at.
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

    /// Whether this mismatch may be looked at again now. A client's request is looked at once at a time.
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

    /// Begins with one, where there is room.
    pub(super) fn begin(&mut self, mut doubt: Doubt, now: Instant) {
        // It takes long, and other copies need the place: doubts have bounds of their own. Its memory is still taken.
        doubt.copied.permit.iter_mut().for_each(|permit| permit.place = None);
        let Copied { client, pair, ref target, .. } = doubt.copied;
        self.began.push_back(now);
        self.open.push(Open { since: now, client, pair, target: target.clone() });
        self.ask(doubt);
    }

    /// Asks once more.
    pub(super) fn ask(&mut self, doubt: Doubt) {
        if let Err(lost) = self.ask.send(doubt) {
            self.end(&lost.0.copied);
        }
    }

    /// The matter is settled.
    pub(super) fn end(&mut self, copied: &Copied) {
        self.open.retain(|open| !open.is(copied));
    }
}
