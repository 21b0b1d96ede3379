//! Answers to requests that cannot be served: a status and one line of plain text.

use std::borrow::Cow;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    message: Cow<'static, str>,
}

impl Problem {
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Problem { status, message: message.into() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // Text is answered as `text/plain; charset=utf-8`.
        (self.status, self.message).into_response()
    }
}
