//! A request's body as JSON.

use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};

use crate::body;
use crate::json::{self, FromJson, Keys, Reader};
use crate::problem::{Problem, Words};
use crate::settings::Limits;

/// A JSON body with the content type of JSON.
pub struct JsonBody(Vec<u8>);

impl FromRequest<Limits> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, limits: &Limits) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let message = "the body must be JSON, with the header `content-type: application/json`";
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
            return Err(body::refuse(request.into_body(), problem).await);
        }
        body::read(request.into_body(), *limits).await.map(JsonBody)
    }
}

impl JsonBody {
    /// A value that fills one parameter.
    #[allow(dead_code, reason = "not every server has such a body")]
    pub fn parse<T: FromJson>(&self, name: &str, keys: Keys, words: &Words) -> Result<T, Problem> {
        self.read_as(&format!("body parameter \"{name}\""), T::from_json, keys, words)
    }

    /// An object that fills several parameters.
    #[allow(dead_code, reason = "not every server has such a body")]
    pub fn read<T>(
        &self,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, json::Problem>,
        keys: Keys,
        words: &Words,
    ) -> Result<T, Problem> {
        self.read_as("the body", read, keys, words)
    }

    fn read_as<T>(
        &self,
        what: &str,
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, json::Problem>,
        keys: Keys,
        words: &Words,
    ) -> Result<T, Problem> {
        let text = str::from_utf8(&self.0).map_err(|_| words.malformed(what, "is not valid UTF-8"))?;
        json::parse_with(text, keys, read).map_err(|reason| words.malformed(&format!("{what}:"), &reason))
    }
}

/// `application/json`, or a type that is written as JSON (`application/…+json`).
fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
}
