//! A client's body on its way to control: passed on part by part, and recorded where it is copied.

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
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::copy::Recording;

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
