//! What becomes of one request, for the [`Collector`](crate::collector::Collector): counted once, when it is known.

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

/// A client that leaves sooner than this without an answer may have left for any reason: evidence of a kind of its own.
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

    /// What keeps the client's connection open.
    pub(crate) fn under_way(&self) -> UnderWay {
        self.under_way.clone()
    }

    /// Says when the client had sent its whole request.
    pub(crate) fn clock(&self) -> Rc<Cell<Option<Instant>>> {
        Rc::clone(&self.asked)
    }

    /// How long the client has waited; `None`: it still owes a part of its request.
    pub(crate) fn waited(&self) -> Option<Duration> {
        self.asked.get().map(|asked| asked.elapsed())
    }

    /// Who answers, in the end.
    pub(crate) fn by(&mut self, by: Assigned) {
        self.by = by;
    }

    /// The answer's head is here.
    pub(crate) fn answered(&mut self, status: StatusCode) {
        let outcome = if status.is_server_error() { Outcome::Bad(BadKind::Error) } else { Outcome::Answered };
        self.ended = Some((outcome, self.began.elapsed()));
    }

    /// There is no answer, or it broke off.
    pub(crate) fn broke_off(&mut self) {
        self.ended = Some((Outcome::Bad(BadKind::Broken), self.began.elapsed()));
    }

    /// A server that was asked first broke off; another answers.
    pub(crate) fn also_broke_off(&self, by: Assigned) {
        // It was counted as late already.
        if self.is_counted {
            return;
        }
        self.count(by, Outcome::Bad(BadKind::Broken), self.began.elapsed());
    }

    /// There is no answer in time. This counts, whatever comes later.
    pub(crate) fn timed_out(&mut self) {
        self.ended = Some((Outcome::Bad(BadKind::TimedOut), self.began.elapsed()));
        self.close();
    }

    /// The client left in the middle of an answer, after `silence` without a byte. A long silence counts as a time-out.
    pub(crate) fn left_after(&mut self, silence: Duration) {
        if silence >= LEAST_WAIT {
            self.ended = Some((Outcome::Bad(BadKind::TimedOut), self.began.elapsed()));
        }
    }

    /// It says nothing about any server.
    pub(crate) fn cancel(&mut self) {
        self.is_counted = true;
    }

    fn close(&mut self) {
        if self.is_counted {
            return;
        }
        let took = self.began.elapsed();
        // A client has its own patience; where that ended, there was no answer in time.
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
        // A server's answer to half a request is caused by the client, who may have chosen the server.
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
