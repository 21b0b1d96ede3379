//! The body of a request, and whether its length is sent before it.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::{
    Method,
    body::{Body, Frame, SizeHint},
};
use tierup_parity::Framing;

/// A body. If its length is not known, hyper sends chunks.
#[derive(Debug)]
pub struct RequestBody {
    /// Never empty.
    content: Option<Bytes>,
    framing: Framing,
    /// Sends `Content-Length: 0`: servers may insist on a length if a method has a body (RFC 9110, section 8.6).
    says_nothing_comes: bool,
}

impl RequestBody {
    pub(crate) fn new(content: Bytes, framing: Framing, method: &Method) -> RequestBody {
        let has_body = [Method::POST, Method::PUT, Method::PATCH].contains(method);
        let says_nothing_comes = content.is_empty() && has_body;
        RequestBody { content: Some(content).filter(|content| !content.is_empty()), framing, says_nothing_comes }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        // Two chunks if possible: this exposes readers that take the first chunk for the whole body.
        let first = self.content.take().map(|mut content| match (self.framing, content.len()) {
            (Framing::Chunked, 2..) => {
                let first = content.split_to(content.len() / 2);
                self.content = Some(content);
                self.framing = Framing::Length;
                first
            }
            _ => content,
        });
        Poll::Ready(first.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_none() && self.framing == Framing::Length && !self.says_nothing_comes
    }

    fn size_hint(&self) -> SizeHint {
        match (self.framing, &self.content) {
            (Framing::Length, Some(content)) => SizeHint::with_exact(content.len() as u64),
            (Framing::Length, None) => SizeHint::with_exact(0),
            (Framing::Chunked, _) => SizeHint::default(),
        }
    }
}
