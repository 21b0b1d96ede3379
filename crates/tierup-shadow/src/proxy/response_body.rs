//! A server's body on its way to the client: it is passed on part by part, and recorded if the request is copied. A
//! server that falls silent in the middle has not answered.

use std::{cell::RefCell, pin::Pin, rc::Rc, task::Context, time::Duration};

use hyper::body::Incoming;
use tierup_subject::{Notes, Passing};
use tokio::time::{Instant, Sleep, sleep_until};

use super::{account::Account, upstream::Lease};
use crate::copy::Recording;

/// What a server still owes after the head of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owed {
    /// Nothing: a stream of events may pause.
    Nothing,
    /// The rest of the body, as long as the client waits for it.
    Rest,
    /// The next part of the body within this time. Later parts are passed on, and the answer counts as bad.
    InTime(Duration),
}

/// A server's body on its way to the client.
pub(crate) type FromControl = Passing<Answer>;

/// The state of an answer while its body passes. At its end the connection to the server is free again, and the copy
/// complete.
pub(crate) struct Answer {
    lease: Option<Lease>,
    copy: Option<Rc<RefCell<Recording>>>,
    account: Account,
    owed: Owed,
    /// Since when the client could take more than there is.
    silent: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

pub(crate) fn from_control(
    incoming: Incoming,
    lease: Lease,
    copy: Option<Rc<RefCell<Recording>>>,
    account: Account,
    owed: Owed,
) -> FromControl {
    Passing::new(incoming, Answer { lease: Some(lease), copy, account, owed, silent: None, timer: None })
}

impl Notes for Answer {
    fn data(&mut self, data: &[u8]) {
        self.silent = None;
        if let Some(copy) = &self.copy {
            copy.borrow_mut().answer_data(data);
        }
    }

    fn ended(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
        if let Some(copy) = self.copy.take() {
            copy.borrow_mut().answer_ended();
        }
    }

    fn broke_off(&mut self) {
        self.lease = None;
        self.copy = None;
        self.account.broke_off();
    }

    /// hyper reads only while there is room for more on the way to the client, so waiting is never the client's fault.
    fn waits(&mut self, context: &mut Context<'_>) {
        let is_new = self.silent.is_none();
        let since = *self.silent.get_or_insert_with(Instant::now);
        let Owed::InTime(patience) = self.owed else { return };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(since + patience)));
        if is_new {
            timer.as_mut().reset(since + patience);
        }
        if timer.as_mut().poll(context).is_ready() {
            self.account.timed_out();
            (self.owed, self.timer) = (Owed::Rest, None);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // The client left before the end.
        if let (Some(silent), Some(_)) = (self.silent, &self.lease)
            && self.owed != Owed::Nothing
        {
            self.account.left_after(silent.elapsed());
        }
    }
}
