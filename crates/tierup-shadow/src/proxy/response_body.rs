//! A server's body on its way to the client: passed on part by part, and recorded where it is copied.

use std::{
    cell::RefCell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::{account::Account, upstream::Lease};
use crate::copy::Recording;

/// A server's body, on its way to the client. At its end the connection to the server is free again, and the copy complete.
pub(crate) struct FromControl {
    incoming: Incoming,
    lease: Option<Lease>,
    copy: Option<Rc<RefCell<Recording>>>,
    account: Account,
}

impl FromControl {
    pub(crate) fn new(
        incoming: Incoming,
        lease: Lease,
        copy: Option<Rc<RefCell<Recording>>>,
        account: Account,
    ) -> FromControl {
        let mut body = FromControl { incoming, lease: Some(lease), copy, account };
        if body.incoming.is_end_stream() {
            body.ended();
        }
        body
    }

    fn ended(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
        if let Some(copy) = self.copy.take() {
            copy.borrow_mut().answer_ended();
        }
    }
}

impl Body for FromControl {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.incoming).poll_frame(context) else { return Poll::Pending };
        match &frame {
            Some(Ok(part)) => {
                if let (Some(copy), Some(data)) = (&this.copy, part.data_ref()) {
                    copy.borrow_mut().answer_data(data);
                }
                if this.incoming.is_end_stream() || part.is_trailers() {
                    this.ended();
                }
            }
            Some(Err(_)) => {
                this.lease = None;
                this.copy = None;
                this.account.broke_off();
            }
            None => this.ended(),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
