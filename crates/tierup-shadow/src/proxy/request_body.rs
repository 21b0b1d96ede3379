//! A client's body on its way to control: it is passed on part by part, and recorded if the request is copied.

use std::{
    cell::{Cell, RefCell},
    error::Error,
    fmt,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use super::{account::Account, places::UnderWay};
use crate::copy::Recording;

/// A client's body on its way to control. It fails if the client does not go on sending.
pub(crate) struct FromClient {
    incoming: Option<Incoming>,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    copy: Option<Rc<RefCell<Recording>>>,
    /// Is set when the client has sent everything.
    clock: Rc<Cell<Option<Instant>>>,
    /// A client may still be sending after the end of an early answer.
    _under_way: Option<UnderWay>,
}

impl FromClient {
    pub(crate) fn new(
        incoming: Incoming,
        patience: Duration,
        copy: Option<Rc<RefCell<Recording>>>,
        account: &Account,
    ) -> FromClient {
        let is_whole = incoming.is_end_stream();
        let (clock, under_way) = (account.clock(), Some(account.under_way()));
        let mut body =
            FromClient { incoming: Some(incoming), patience, waiting: None, copy, clock, _under_way: under_way };
        if is_whole {
            // There is no body, so no end of it will be read.
            body.ended();
        }
        body
    }

    fn ended(&mut self) {
        self.clock.set(self.clock.get().or_else(|| Some(Instant::now())));
        self.copy.iter().for_each(|copy| copy.borrow_mut().request_ended());
    }

    /// An empty body.
    pub(crate) fn nothing() -> FromClient {
        FromClient {
            incoming: None,
            patience: Duration::ZERO,
            waiting: None,
            copy: None,
            clock: Rc::default(),
            _under_way: None,
        }
    }
}

/// The client stopped in the middle of its body.
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
        if let (Some(copy), Some(Ok(frame))) = (&this.copy, &frame) {
            frame.data_ref().into_iter().for_each(|data| copy.borrow_mut().request_data(data));
        }
        // hyper does not read again after trailers, nor after the last byte of a body with a known length.
        let is_last = this.incoming.as_ref().is_some_and(Body::is_end_stream) && !matches!(frame, Some(Err(_)));
        if frame.is_none() || is_last || frame.as_ref().is_some_and(is_trailers) {
            this.ended();
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
