//! The routes, and what they answer.

use std::panic;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};

use crate::body;
use crate::downstream::Downstream;
use crate::problem::Problem;

pub fn router(downstream: Downstream) -> Router {
    Router::new()
        .route("/", post(sum))
        .route("/livez", get(async || "ok"))
        .route("/readyz", get(ready))
        .method_not_allowed_fallback(async || Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed"))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "not found"))
        .with_state(downstream)
}

/// Sums up the items of a body, and hands the sum on before it answers.
async fn sum(State(downstream): State<Downstream>, request: Request) -> Result<impl IntoResponse, Problem> {
    let body = body::read(request).await?;
    downstream.post(sum_of(&body)?).await?;
    Ok(([(header::CONTENT_TYPE, "application/json; charset=utf-8")], r#"{"ok":true}"#))
}

/// A call is done within microseconds, and within milliseconds for the largest body, so it needs no thread of its own.
fn sum_of(body: &[u8]) -> Result<i64, Problem> {
    // A panic would end the connection without an answer. What it said is on standard error.
    let outcome = panic::catch_unwind(|| json_sum::sum_items(body))
        .map_err(|_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed to sum up the items"))?;
    outcome.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))
}

/// Whether a sum that is known comes out right.
async fn ready() -> Result<&'static str, Problem> {
    match sum_of(br#"{"items":[{"value":1},{"value":20.0},{"value":-3e2}]}"#) {
        Ok(-558) => Ok("ok"),
        _ => Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "a sum that is known came out wrong")),
    }
}
