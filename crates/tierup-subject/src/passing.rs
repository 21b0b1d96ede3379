//! A body that passes on as it arrives, while notes are taken of it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// Takes notes as a body passes.
pub trait Notes: Unpin {
    /// The body's next bytes.
    fn data(&mut self, data: &[u8]);

    /// The body has passed whole. Called once.
    fn ended(&mut self);

    /// The body ended too soon.
    fn broke_off(&mut self) {}

    /// Nothing more has arrived. The task that passes the body on may be woken by way of the context.
    fn waits(&mut self, context: &mut Context<'_>) {
        let _ = context;
    }
}

/// A body, and what takes notes of it.
pub struct Passing<N> {
    incoming: Incoming,
    notes: N,
    has_ended: bool,
}

impl<N: Notes> Passing<N> {
    pub fn new(incoming: Incoming, notes: N) -> Passing<N> {
        let mut passing = Passing { incoming, notes, has_ended: false };
        // hyper does not poll an empty body.
        if passing.incoming.is_end_stream() {
            passing.end();
        }
        passing
    }

    fn end(&mut self) {
        if !self.has_ended {
            self.has_ended = true;
            self.notes.ended();
        }
    }
}

impl<N: Notes> Body for Passing<N> {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.incoming).poll_frame(context) else {
            this.notes.waits(context);
            return Poll::Pending;
        };
        match &frame {
            Some(Ok(part)) => {
                part.data_ref().into_iter().for_each(|data| this.notes.data(data));
                // hyper does not poll again after trailers, nor after the last byte of a body with a known length.
                if this.incoming.is_end_stream() || part.is_trailers() {
                    this.end();
                }
            }
            Some(Err(_)) => this.notes.broke_off(),
            None => this.end(),
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
