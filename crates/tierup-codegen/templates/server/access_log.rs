//! The access log: a line of JSON on standard error for each request, as long as somebody reads them.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::{Body as _, Incoming};
use tower_service::Service as _;

use crate::stderr;

/// Answers a request and logs its time of arrival (seconds since 1970), method, path, status, size and duration.
/// Its query is left out, because that may be private.
pub async fn logged(mut router: Router, request: Request<Incoming>) -> Result<Response, Infallible> {
    let (start, now) = (Instant::now(), SystemTime::now());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = router.call(request).await?;
    stderr::line(format!(
        "{{\"time\":{:.3},\"method\":{},\"path\":{},\"status\":{},\"bytes\":{},\"microseconds\":{}}}",
        now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64(),
        quoted(method.as_str()),
        quoted(uri.path()),
        response.status().as_u16(),
        response.body().size_hint().lower(),
        start.elapsed().as_micros(),
    ));
    Ok(response)
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a `String` cannot fail.
            '\0'..' ' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}
