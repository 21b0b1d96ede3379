//! A request's body: how much of it is read, and for how long.

#![allow(dead_code, reason = "not every server takes text and bytes")]

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use tokio::time::timeout;

use crate::problem::{Problem, Words};
use crate::settings::Limits;

/// How long the rest of a refused body is read.
const LINGER: Duration = Duration::from_secs(1);

/// A body of any type, as it came.
pub struct RawBody(Vec<u8>);

impl FromRequest<Limits> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, limits: &Limits) -> Result<Self, Problem> {
        read(request.into_body(), *limits).await.map(RawBody)
    }
}

impl RawBody {
    pub fn text(self, name: &str, words: &Words) -> Result<String, Problem> {
        let malformed = |_| words.malformed(&format!("body parameter \"{name}\""), "is not valid UTF-8");
        String::from_utf8(self.0).map_err(malformed)
    }

    pub fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// Whether the body is empty: for a parameter that may be absent, this means that it is absent.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads it whole.
pub async fn read(mut body: Body, limits: Limits) -> Result<Vec<u8>, Problem> {
    match timeout(limits.body_timeout, collect(&mut body, limits.body)).await {
        Ok(Ok(content)) => Ok(content),
        Ok(Err(problem)) => Err(refuse(body, problem).await),
        Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body took too long to arrive")),
    }
}

async fn collect(body: &mut Body, limit: usize) -> Result<Vec<u8>, Problem> {
    let too_large = || {
        let message = format!("the body must be at most {limit} bytes long");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    // The length in the headers. If it is within the limit, memory for the whole body is reserved at once.
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(too_large());
    }
    let mut content = Vec::with_capacity(announced);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::new(StatusCode::BAD_REQUEST, "the body cannot be read to its end"))?;
        let Some(data) = frame.data_ref() else { continue };
        if content.len() + data.len() > limit {
            return Err(too_large());
        }
        content.extend_from_slice(data);
    }
    Ok(content)
}

/// Reads on for a while before refusing a body. If the connection were closed while bytes come in, it would be reset,
/// and the client might never see the answer (RFC 9112, section 9.6).
pub async fn refuse(mut body: Body, problem: Problem) -> Problem {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    // It makes no difference whether that was all.
    let _ = timeout(LINGER, rest).await;
    problem
}
