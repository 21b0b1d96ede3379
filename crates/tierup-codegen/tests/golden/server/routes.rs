//! The routes, and what answers them.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#![allow(unused_imports)]

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, head, options, patch, post, put};

use crate::bodies;
use crate::body::RawBody;
use crate::call::Pace;
use crate::health;
use crate::json;
use crate::json_body::JsonBody;
use crate::problem::{self, Problem, Words};
use crate::settings::Limits;
use crate::target::Target;
use crate::text::{self, FromText};

/// Everything that this server answers.
pub fn router(limits: Limits) -> Router {
    Router::new()
        .route("/draw", get(get_draw))
        .route("/echo", post(post_echo))
        .route("/total", post(post_total))
        .route("/things/{id}", get(get_things_id))
        .route("/length", post(post_length))
        .route("/texts", put(put_texts).delete(delete_texts))
        .route("/slow", get(get_slow))
        .route("/fail", get(get_fail))
        .route("/join", post(post_join))
        .route("/camel", post(post_camel))
        .route("/arrange/{id}", post(post_arrange_id))
        .route("/odd//%C3%BC", delete(delete_odd))
        .route("/odd/{milliseconds}", get(get_odd_milliseconds))
        .route(
            "/odd/{milliseconds}/x",
            put(put_odd_milliseconds_x).post(post_odd_text_x),
        )
        .route("/{text}/odd", post(post_text_odd))
        .route("/fill", get(get_fill))
        .route("/visit", get(get_visit))
        .route("/wait", get(get_wait))
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

/// `POST /echo`
///
/// Gives an order back.
async fn post_echo(body: JsonBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let order: ::sample::Order = body.parse("order", json::Keys::SnakeCase, &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(&::sample::echo(order), json::Keys::SnakeCase))
        .await?;
    Ok(reply("application/json", answer))
}

/// `POST /total`
async fn post_total(body: JsonBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let items: Vec<::sample::Item> = body.parse("items", json::Keys::SnakeCase, &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(&::sample::total(&items), json::Keys::SnakeCase))
        .await?;
    Ok(reply("application/json", answer))
}

/// `GET /things/{id}?color={color}&loud={loud}&ratio={ratio}&note={note}`
async fn get_things_id(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let id: u16 = target.segment(1, "id", &WORDS)?;
    let color: Option<::sample::Color> = target.query_if_given("color", &WORDS)?;
    let loud: bool = target.query("loud", &WORDS)?;
    let ratio: f64 = target.query("ratio", &WORDS)?;
    let note: Option<String> = target.query_if_given("note", &WORDS)?;
    let answer = PACE
        .call(move || ::sample::describe(id, color, loud, ratio, note.as_deref()))
        .await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `POST /length`
async fn post_length(body: RawBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    let data: Vec<u8> = body.bytes();
    let answer = PACE
        .call(move || json::to_string(&::sample::length(&data), json::Keys::SnakeCase))
        .await?;
    Ok(reply("application/json", answer))
}

/// `PUT /texts`
async fn put_texts(body: RawBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let text: String = body.text("text", &WORDS)?;
    WORDS.at_most(10, "text", &text)?;
    let answer = PACE.call(move || ::sample::shout(text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `DELETE /texts`
async fn delete_texts() -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    PACE.call(::sample::nothing).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /slow?milliseconds={milliseconds}`
///
/// Takes its time.
async fn get_slow(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let milliseconds: u64 = target.query("milliseconds", &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(
            &::sample::slow(milliseconds),
            json::Keys::SnakeCase,
        ))
        .await?;
    Ok(reply("application/json", answer))
}

/// `GET /fail?text={text}`
async fn get_fail(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let text: String = target.query("text", &WORDS)?;
    let answer = PACE.call(move || ::sample::fail(&text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `POST /join`
async fn post_join(body: JsonBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let parts: Vec<String> = body.parse("parts", json::Keys::SnakeCase, &WORDS)?;
    let answer = PACE
        .call(move || ::sample::join(
            &parts.iter().map(|item| item.as_str()).collect::<Vec<_>>(),
        ))
        .await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `POST /camel`
///
/// Gives an order back.
async fn post_camel(body: JsonBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let order: ::sample::Order = body.parse("order", json::Keys::CamelCase, &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(&::sample::echo(order), json::Keys::CamelCase))
        .await?;
    Ok(reply("application/json", answer))
}

/// `POST /arrange/{id}`
async fn post_arrange_id(target: Target, body: JsonBody) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let (items, main_color, labels, data) = body
        .read(bodies::post_arrange_id, json::Keys::CamelCase, &WORDS)?;
    let id: u16 = target.segment(1, "id", &WORDS)?;
    WORDS.at_most(4, "data", &data)?;
    let answer = PACE
        .call(move || ::sample::arrange(
            id,
            &items,
            main_color,
            &labels.iter().map(|item| item.as_str()).collect::<Vec<_>>(),
            data,
        ))
        .await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `DELETE /odd//ü`
async fn delete_odd() -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    PACE.call(::sample::nothing).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /odd/{milliseconds}`
///
/// Takes its time.
async fn get_odd_milliseconds(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let milliseconds: u64 = target.segment(1, "milliseconds", &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(
            &::sample::slow(milliseconds),
            json::Keys::SnakeCase,
        ))
        .await?;
    Ok(reply("application/json", answer))
}

/// `PUT /odd/{milliseconds}/x`
///
/// Takes its time.
async fn put_odd_milliseconds_x(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let milliseconds: u64 = target.segment(1, "milliseconds", &WORDS)?;
    let answer = PACE
        .call(move || json::to_string(
            &::sample::slow(milliseconds),
            json::Keys::SnakeCase,
        ))
        .await?;
    Ok(reply("application/json", answer))
}

/// `POST /odd/{text}/x`
async fn post_odd_text_x(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let text: String = target.segment(1, "text", &WORDS)?;
    let answer = PACE.call(move || ::sample::fail(&text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `POST /{text}/odd`
async fn post_text_odd(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    let text: String = target.segment(0, "text", &WORDS)?;
    let answer = PACE.call(move || ::sample::fail(&text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `GET /fill?length={length}`
async fn get_fill(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let length: u32 = target.query("length", &WORDS)?;
    let answer = PACE.call(move || ::sample::fill(length)).await?;
    Ok(reply("application/octet-stream", answer))
}

/// `GET /visit?text={text}`
async fn get_visit(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::new();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let text: String = target.query("text", &WORDS)?;
    let answer = PACE.call(move || ::sample::visit(&text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

/// `GET /wait?text={text}`
async fn get_wait(target: Target) -> Result<Response, Problem> {
    static PACE: Pace = Pace::blocking();
    const WORDS: Words = Words::NONE;
    target.check_query(&[], &WORDS)?;
    let text: String = target.query("text", &WORDS)?;
    let answer = PACE.call(move || ::sample::visit(&text)).await?;
    Ok(reply("text/plain; charset=utf-8", answer))
}

impl FromText for ::sample::Color {
    fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
        match str::from_utf8(&text) {
            Ok("Red") => Ok(Self::Red),
            Ok("DarkBlue") => Ok(Self::DarkBlue),
            _ => Err(text::must_be("one of Red, DarkBlue", &text)),
        }
    }
}

fn reply(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], body.into())
        .into_response()
}
