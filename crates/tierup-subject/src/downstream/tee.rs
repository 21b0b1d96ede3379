//! A body that passes on as it arrives, and is kept for a record.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::record::OpenCall;

/// Which of a call's bodies it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Request,
    Answer,
}

/// The call is under way while one of its bodies is.
pub(super) struct Tee {
    incoming: Incoming,
    call: Arc<OpenCall>,
    part: Part,
}

impl Tee {
    pub(super) fn new(incoming: Incoming, call: Arc<OpenCall>, part: Part) -> Tee {
        let tee = Tee { incoming, call, part };
        if tee.incoming.is_end_stream() {
            tee.ended();
        }
        tee
    }

    fn ended(&self) {
        match self.part {
            Part::Request => self.call.request_ended(),
            Part::Answer => self.call.answer_ended(),
        }
    }
}

impl Body for Tee {
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
                match (part.data_ref(), this.part) {
                    (Some(data), Part::Request) => this.call.request_data(data),
                    (Some(data), Part::Answer) => this.call.answer_data(data),
                    (None, _) => {}
                }
                // hyper does not ask again after trailers, nor after the last byte of a body that said its length.
                if this.incoming.is_end_stream() || part.is_trailers() {
                    this.ended();
                }
            }
            Some(Err(_)) => {}
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
