//! What is answered to what.

use std::{error::Error as _, time::Duration};

use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use experiments::{Outcome, create_experiment};
use http_body_util::LengthLimitError;
use tokio::time::timeout;

use crate::settings::Clock;

/// The largest body, in bytes.
const LARGEST: usize = 64 << 10;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request whose right answer is known.
const GOLDEN: (&[u8], &str) = (
    br#"{"name":"tierup","variants":[{"name":"a","allocation_percent":50.0},{"name":"b","allocation_percent":5e1}]}"#,
    r#"{"name":"tierup","variants":[{"name":"a","allocation_percent":50},{"name":"b","allocation_percent":50}]}"#,
);

pub fn router(clock: Clock) -> Router {
    Router::new()
        .route("/experiments", post(experiments).fallback(only_post))
        .route("/livez", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .fallback(|| async { refuse(StatusCode::NOT_FOUND, "", "there is nothing here") })
        .with_state(clock)
}

async fn experiments(State(clock): State<Clock>, request: Request) -> Response {
    if is_compressed(request.headers()) {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "", "a compressed body is not read");
    }
    let fingerprint = wants_fingerprint(request.uri().query().unwrap_or_default());
    // The body is read before anything is answered, so that the connection can be used again.
    let body = match read(request).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let Ok(fingerprint) = fingerprint else {
        return refuse(StatusCode::BAD_REQUEST, "?fingerprint", "must be md5");
    };
    // Microseconds: not worth another thread.
    match create_experiment(&body, fingerprint.then(|| clock.now())) {
        Outcome::Valid(json) => answer(StatusCode::OK, json),
        Outcome::Malformed(json) => answer(StatusCode::BAD_REQUEST, json),
        Outcome::Invalid(json) => answer(StatusCode::UNPROCESSABLE_ENTITY, json),
    }
}

async fn read(request: Request) -> Result<Bytes, Response> {
    match timeout(PATIENCE, to_bytes(request.into_body(), LARGEST)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) if error.source().is_some_and(|source| source.is::<LengthLimitError>()) => {
            Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "", "the body is larger than 64 KiB"))
        }
        Ok(Err(_)) => Err(refuse(StatusCode::BAD_REQUEST, "", "the request cannot be read")),
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "", "the body took too long")),
    }
}

fn is_compressed(headers: &HeaderMap) -> bool {
    let encoding = headers.get(header::CONTENT_ENCODING).map_or(&b""[..], |value| value.as_bytes());
    !encoding.is_empty() && !encoding.eq_ignore_ascii_case(b"identity")
}

/// Parameters are taken as they were sent: `fingerprint=md5` needs no decoding. Another fingerprint is an error.
fn wants_fingerprint(query: &str) -> Result<bool, ()> {
    let values = query.split('&').filter_map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        (name == "fingerprint").then_some(value)
    });
    values.map(|value| if value == "md5" { Ok(true) } else { Err(()) }).try_fold(false, |_, wanted| wanted)
}

async fn only_post() -> Response {
    let refusal = refuse(StatusCode::METHOD_NOT_ALLOWED, "", "only POST is answered here");
    ([(header::ALLOW, "POST")], refusal).into_response()
}

async fn ready() -> Response {
    let (body, right) = GOLDEN;
    if create_experiment(body, None) == Outcome::Valid(right.to_owned()) {
        "ok".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "a known experiment is answered wrongly").into_response()
    }
}

/// Messages are this server's own words, and hold nothing that JSON must escape.
fn refuse(status: StatusCode, path: &str, message: &str) -> Response {
    answer(status, format!(r#"{{"errors":[{{"path":"{path}","message":"{message}"}}]}}"#))
}

fn answer(status: StatusCode, json: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], json).into_response()
}
