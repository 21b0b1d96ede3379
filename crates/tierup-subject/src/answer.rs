//! An answer: while it arrives, and whole.

use std::{error::Error as _, io};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{
    HeaderMap, Response,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue},
};
use tierup_parity::Silence;

/// The largest body that is read, in bytes. A server that sends more may well send without end.
pub const BODY_LIMIT: usize = 64 << 20;

/// An answer whose body is still to come.
#[derive(Debug)]
pub struct Arriving {
    status: u16,
    headers: HeaderMap,
    body: Incoming,
}

/// An answer, kept whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case, and values as they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl Arriving {
    pub(crate) fn new(response: Response<Incoming>) -> Arriving {
        let (head, body) = response.into_parts();
        Arriving { status: head.status.as_u16(), headers: head.headers, body }
    }

    pub fn status(&self) -> u16 {
        self.status
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body's next bytes; `None` where it ends. Trailers are passed over.
    pub async fn frame(&mut self) -> Option<Result<Bytes, Silence>> {
        loop {
            match self.body.frame().await? {
                Ok(frame) => {
                    if let Ok(data) = frame.into_data() {
                        return Some(Ok(data));
                    }
                }
                Err(error) => return Some(Err(within_the_body(&error))),
            }
        }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// If the body does not come whole, or is larger than `limit` bytes.
    pub async fn whole(self, limit: usize) -> Result<Answer, Silence> {
        self.whole_within(limit, |_| true).await
    }

    /// Reads the [`whole`](Self::whole) answer, as long as `has_room` accepts the size of each part.
    ///
    /// # Errors
    /// Those of [`whole`](Self::whole); if `has_room` refuses, the body is too large.
    pub async fn whole_within(
        mut self,
        limit: usize,
        mut has_room: impl FnMut(usize) -> bool,
    ) -> Result<Answer, Silence> {
        let mut body = BytesMut::new();
        while let Some(data) = self.frame().await {
            let data = data?;
            if body.len() + data.len() > limit || !has_room(data.len()) {
                return Err(Silence::TooLarge);
            }
            body.extend_from_slice(&data);
        }
        let headers = self.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        Ok(Answer { status: self.status, headers, body: body.freeze() })
    }
}

impl Answer {
    /// The header's value, as it was sent; of several the first.
    pub fn content_type(&self) -> Option<&str> {
        let header = self.headers.iter().find(|(name, _)| name == CONTENT_TYPE.as_str());
        header.map(|(_, value)| value.as_str())
    }

    /// The answer as an observation; `url` is the URL of the request.
    pub fn observed(self, url: String) -> tierup_parity::Answer {
        let content_type = self.content_type().map(str::to_owned);
        let Answer { status, headers, body } = self;
        tierup_parity::Answer {
            url,
            status,
            headers,
            content_type,
            body: body.into(),
            ..tierup_parity::Answer::default()
        }
    }
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// hyper reports malformed chunks as invalid input.
fn within_the_body(error: &hyper::Error) -> Silence {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    match cause {
        _ if error.is_parse() => Silence::Garbled,
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => Silence::Garbled,
        _ => Silence::Incomplete,
    }
}
