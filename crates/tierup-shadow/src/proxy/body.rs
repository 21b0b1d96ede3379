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

use bytes::{Bytes, BytesMut};
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use super::upstream::Lease;
use crate::copy::Copying;

/// What a client is answered: a text of ours, or what control said.
pub(crate) type ToClient = Either<Full<Bytes>, FromControl>;

/// The bytes of a body that has passed.
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: BytesMut,
    limit: usize,
    ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// There is more to come.
    Open,
    Whole,
    TooLarge,
}

impl Kept {
    pub(crate) fn new(limit: usize) -> Kept {
        Kept { bytes: BytesMut::new(), limit, ending: Ending::Open }
    }

    fn add(&mut self, data: &[u8]) {
        if self.ending == Ending::TooLarge {
            return;
        }
        if data.len() > self.limit - self.bytes.len() {
            self.ending = Ending::TooLarge;
            self.bytes = BytesMut::new();
            return;
        }
        self.bytes.extend_from_slice(data);
    }

    fn end(&mut self) {
        if self.ending == Ending::Open {
            self.ending = Ending::Whole;
        }
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.ending == Ending::TooLarge
    }

    /// The body, if it has passed whole and had room.
    pub(crate) fn whole(&mut self) -> Option<Bytes> {
        (self.ending == Ending::Whole).then(|| std::mem::take(&mut self.bytes).freeze())
    }
}

/// A client's body, on its way to control. The client must go on sending.
pub(crate) struct FromClient {
    incoming: Option<Incoming>,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
    kept: Option<Rc<RefCell<Kept>>>,
}

impl FromClient {
    pub(crate) fn new(incoming: Incoming, patience: Duration, kept: Option<Rc<RefCell<Kept>>>) -> FromClient {
        if let Some(kept) = kept.as_deref().filter(|_| incoming.is_end_stream()) {
            // It has no body: nobody will ask for one.
            kept.borrow_mut().end();
        }
        FromClient { incoming: Some(incoming), patience, waiting: None, kept }
    }

    /// No body.
    pub(crate) fn nothing() -> FromClient {
        FromClient { incoming: None, patience: Duration::ZERO, waiting: None, kept: None }
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
        if let Some(kept) = &this.kept {
            let mut kept = kept.borrow_mut();
            match &frame {
                Some(Ok(frame)) => frame.data_ref().into_iter().for_each(|data| kept.add(data)),
                Some(Err(_)) => {}
                None => kept.end(),
            }
            // hyper does not ask again after the last byte of a body that said its length.
            if this.incoming.as_ref().is_some_and(Body::is_end_stream) {
                kept.end();
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

/// Control's body, on its way to the client. At its end the connection to control is free again, and the copy complete.
pub(crate) struct FromControl {
    incoming: Incoming,
    lease: Option<Lease>,
    copying: Option<Copying>,
}

impl FromControl {
    pub(crate) fn new(incoming: Incoming, lease: Option<Lease>, copying: Option<Copying>) -> FromControl {
        let mut body = FromControl { incoming, lease, copying };
        if body.incoming.is_end_stream() {
            body.ended();
        }
        body
    }

    fn ended(&mut self) {
        if let Some(lease) = self.lease.take() {
            lease.give_back();
        }
        if let Some(mut copying) = self.copying.take() {
            copying.answer.end();
            copying.finish();
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
            Some(Ok(frame)) => {
                if let (Some(copying), Some(data)) = (&mut this.copying, frame.data_ref()) {
                    copying.answer.add(data);
                }
                if this.incoming.is_end_stream() {
                    this.ended();
                }
            }
            Some(Err(_)) => {
                this.lease = None;
                this.copying = None;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_kept_whole_or_not_at_all() {
        let mut kept = Kept::new(5);
        kept.add(b"abc");
        assert_eq!(kept.whole(), None, "it has not ended");
        kept.add(b"de");
        kept.end();
        assert_eq!(kept.whole(), Some(Bytes::from_static(b"abcde")));

        let mut kept = Kept::new(5);
        [b"abc", b"def", b"ghi"].into_iter().for_each(|part| kept.add(part));
        kept.end();
        assert!(kept.is_too_large());
        assert_eq!(kept.whole(), None);
    }
}
