//! Answers to requests that cannot be served: a status and one line of plain text.

#![allow(dead_code, reason = "not every route can fail in every way")]

use std::borrow::Cow;

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};

/// Why a request is not answered with a value.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    message: Cow<'static, str>,
    is_busy: bool,
}

impl Problem {
    pub fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Problem { status, message: message.into(), is_busy: false }
    }

    /// The function panicked. Clients are not told why.
    pub fn internal() -> Self {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    }

    /// The server has too much to do already.
    pub fn busy(message: &'static str) -> Self {
        Problem { is_busy: true, ..Problem::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// Whether the server had too much to do to try.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }

    fn bad(own: Option<&'static str>, message: impl FnOnce() -> String) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, own.map_or_else(|| message().into(), Cow::Borrowed))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        // Text is answered as `text/plain; charset=utf-8`.
        if self.is_busy {
            // In seconds. Calls that wait are short, or there would not be so many of them.
            return (self.status, [(RETRY_AFTER, "1")], self.message).into_response();
        }
        (self.status, self.message).into_response()
    }
}

/// The answer where no route fits.
pub async fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not found")
}

/// A route's own words for bad input; without them, a message names the problem. The status is 400.
pub struct Words {
    /// A parameter is absent or given twice. Where a route has this, an empty parameter counts as absent.
    pub missing: Option<&'static str>,
    /// Text or bytes are longer than the route allows.
    pub too_long: Option<&'static str>,
    /// Broken percent-encoding, text that is not UTF-8, an invalid number, JSON of another shape than expected.
    pub malformed: Option<&'static str>,
    /// The function returned an error.
    pub failed: Option<&'static str>,
}

impl Words {
    /// No messages of the route's own.
    pub const NONE: Words = Words { missing: None, too_long: None, malformed: None, failed: None };

    pub fn missing(&self, what: &str) -> Problem {
        Problem::bad(self.missing, || format!("{what} is missing"))
    }

    pub fn twice(&self, what: &str) -> Problem {
        Problem::bad(self.missing, || format!("{what} is given twice"))
    }

    pub fn malformed(&self, what: &str, reason: &str) -> Problem {
        Problem::bad(self.malformed, || format!("{what} {reason}"))
    }

    /// Refuses a value that is longer than `most` bytes.
    pub fn at_most(&self, most: usize, name: &str, value: impl AsRef<[u8]>) -> Result<(), Problem> {
        if value.as_ref().len() <= most {
            return Ok(());
        }
        Err(Problem::bad(self.too_long, || format!("\"{name}\" must be at most {most} bytes long")))
    }

    /// The function's error, in its own words unless the route has some.
    pub fn failed(&self, error: String) -> Problem {
        Problem::bad(self.failed, || error)
    }
}
