//! Bodies that are passed on part by part, and copied on the way as far as there is room.

use std::{
    cell::RefCell,
    error::Error,
    fmt,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use super::upstream::Lease;
use crate::copy::Recording;

/// What a client is answered: a text of ours, or what control said.
pub(crate) type ToClient = Either<Full<Bytes>, FromControl>;

/// A client's body, on its way to control. The client must go on sending.
pub(crate) struct FromClient {
    incoming: Option<Incoming>,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    copy: Option<Rc<RefCell<Recording>>>,
}

impl FromClient {
    pub(crate) fn new(incoming: Incoming, patience: Duration, copy: Option<Rc<RefCell<Recording>>>) -> FromClient {
        if let Some(copy) = copy.as_deref().filter(|_| incoming.is_end_stream()) {
            // It has no body: nobody will ask for one.
            copy.borrow_mut().request_ended();
        }
        FromClient { incoming: Some(incoming), patience, waiting: None, copy }
    }

    /// No body.
    pub(crate) fn nothing() -> FromClient {
        FromClient { incoming: None, patience: Duration::ZERO, waiting: None, copy: None }
    }
}

/// A client that stopped in the middle of its body.
#[derive(Debug)]
pub(crate) struct Stalled;

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client stopped sending its body")
    }
}

impl Error for Stalled {}

impl Body for FromClient {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        let Some(incoming) = &mut this.incoming else { return Poll::Ready(None) };
        let Poll::Ready(frame) = Pin::new(incoming).poll_frame(context) else {
            let patience = this.patience;
            let waiting = this.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
            return waiting.as_mut().poll(context).map(|()| Some(Err(Stalled.into())));
        };
        this.waiting = None;
        if let Some(copy) = &this.copy {
            let mut copy = copy.borrow_mut();
            match &frame {
                Some(Ok(frame)) => frame.data_ref().into_iter().for_each(|data| copy.request_data(data)),
                Some(Err(_)) => {}
                None => copy.request_ended(),
            }
            // hyper does not ask again after trailers, nor after the last byte of a body that said its length.
            let is_last = this.incoming.as_ref().is_some_and(Body::is_end_stream);
            if is_last || frame.as_ref().is_some_and(is_trailers) {
                copy.request_ended();
            }
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

fn is_trailers<E>(frame: &Result<Frame<Bytes>, E>) -> bool {
    frame.as_ref().is_ok_and(Frame::is_trailers)
}

/// Control's body, on its way to the client. At its end the connection to control is free again, and the copy complete.
pub(crate) struct FromControl {
    incoming: Incoming,
    lease: Option<Lease>,
    copy: Option<Rc<RefCell<Recording>>>,
}

impl FromControl {
    pub(crate) fn new(incoming: Incoming, lease: Lease, copy: Option<Rc<RefCell<Recording>>>) -> FromControl {
        let mut body = FromControl { incoming, lease: Some(lease), copy };
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
