//! The outcome of one request, for the [`Collector`](crate::collector::Collector): counted once, when it is known.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use hyper::StatusCode;
use tierup_rollout::evidence::BadKind;

use super::places::UnderWay;
use crate::{
    collector::{Answered, Counter, Outcome, Route},
    in_force::Assigned,
};

/// A client that leaves sooner without an answer may have had any reason, so this is a separate kind of evidence.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// One request, from its head to the end of its answer. Dropping it counts it.
pub(crate) struct Account {
    counter: Rc<Counter>,
    route: Route,
    by: Assigned,
    began: Instant,
    /// When the client had sent its whole request.
    asked: Rc<Cell<Option<Instant>>>,
    /// How it ended, as far as is known, and how long it took.
    ended: Option<(Outcome, Duration)>,
    is_counted: bool,
    under_way: UnderWay,
}

impl Account {
    pub(crate) fn new(counter: Rc<Counter>, route: Route, by: Assigned, under_way: UnderWay) -> Account {
        let asked = Rc::default();
        Account { counter, route, by, began: Instant::now(), asked, ended: None, is_counted: false, under_way }
    }

    /// Keeps the client's connection open while it is held.
    pub(crate) fn under_way(&self) -> UnderWay {
        self.under_way.clone()
    }

    /// Is set to the time when the client has sent its whole request.
    pub(crate) fn clock(&self) -> Rc<Cell<Option<Instant>>> {
        Rc::clone(&self.asked)
    }

    /// How long the client has waited; `None` while it has not sent its whole request.
    pub(crate) fn waited(&self) -> Option<Duration> {
        self.asked.get().map(|asked| asked.elapsed())
    }

    /// Sets the side that answers in the end.
    pub(crate) fn by(&mut self, by: Assigned) {
        self.by = by;
    }

    /// Notes the head of the answer.
    pub(crate) fn answered(&mut self, status: StatusCode) {
        let outcome = if status.is_server_error() { Outcome::Bad(BadKind::Error) } else { Outcome::Answered };
        self.ended = Some((outcome, self.began.elapsed()));
    }

    /// Notes that there is no answer, or that it broke off.
    pub(crate) fn broke_off(&mut self) {
        self.ended = Some((Outcome::Bad(BadKind::Broken), self.began.elapsed()));
    }

    /// Counts that a server which was asked first broke off; another one answers.
    pub(crate) fn also_broke_off(&self, by: Assigned) {
        // It was already counted as late.
        if self.is_counted {
            return;
        }
        self.count(by, Outcome::Bad(BadKind::Broken), self.began.elapsed());
    }

    /// Counts the answer as late, whatever comes later.
    pub(crate) fn timed_out(&mut self) {
        self.ended = Some((Outcome::Bad(BadKind::TimedOut), self.began.elapsed()));
        self.close();
    }

    /// The client left in the middle of an answer, after `silence` without a byte. A long silence is a time-out.
    pub(crate) fn left_after(&mut self, silence: Duration) {
        if silence >= LEAST_WAIT {
            self.ended = Some((Outcome::Bad(BadKind::TimedOut), self.began.elapsed()));
        }
    }

    /// Counts nothing, as the request says nothing about any server.
    pub(crate) fn cancel(&mut self) {
        self.is_counted = true;
    }

    fn close(&mut self) {
        if self.is_counted {
            return;
        }
        let took = self.began.elapsed();
        // If a client left after a long wait, there was no answer in time.
        let left = self.waited().map(|waited| {
            let kind = if waited >= LEAST_WAIT { BadKind::TimedOut } else { BadKind::Left };
            (Outcome::Bad(kind), took)
        });
        if let Some((outcome, took)) = self.ended.or(left) {
            self.count(self.by, outcome, took);
        }
        self.is_counted = true;
    }

    fn count(&self, by: Assigned, outcome: Outcome, took: Duration) {
        // The client causes a server's answer to half a request, and may have chosen the server.
        if outcome != Outcome::Answered && self.asked.get().is_none() {
            return;
        }
        let Assigned { side, weights, bucket: client, network } = by;
        self.counter.answered(&Answered { route: self.route, side, weights, client, network, outcome, took });
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.close();
    }
}
