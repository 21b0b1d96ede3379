//! The routes, and what answers them.

#![allow(unused_imports)]

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, head, options, patch, post, put};

use crate::call::Pace;
use crate::health;
use crate::problem::{self, Problem, Words};
use crate::settings::Limits;
use crate::target::Target;
use crate::text::{self, FromText};

/// Everything that this server answers.
pub fn router(limits: Limits) -> Router {
    Router::new()
        .route("/draw", get(get_draw))
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .fallback(problem::not_found)
        .with_state(limits)
}

/// `GET /draw?text={text}`
///
/// Draws `text`.
async fn get_draw(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words {
        missing: Some("missing \"text\" query param"),
        too_long: Some("text must be <= 512 bytes"),
        ..Words::NONE
    };
    target.check_query(&[], &WORDS)?;
    let text: String = target.query("text", &WORDS)?;
    WORDS.at_most(512, "text", &text)?;
    let answer = PACE
        .call(move || ::sample::draw(&text).map_err(|error| error.to_string()))
        .await?;
    let answer = answer.map_err(|error| WORDS.failed(error))?;
    Ok(reply("image/png", answer))
}

fn reply(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], body.into())
        .into_response()
}
