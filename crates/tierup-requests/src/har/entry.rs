//! One entry of a recording: its request, and the status that came back.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use crate::problems::shortened;
use crate::render::default_name;
use crate::source::Source;
use crate::{FileLine, Request, headers, target};

#[derive(Deserialize)]
struct Entry {
    request: Recorded,
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct Response {
    /// 0 if the browser gave up. No server sends fractions, but JSON allows them.
    status: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: String,
    text: Option<String>,
    params: Option<Vec<Parameter>>,
    /// Some recorders write `base64` here for bytes. HAR 1.2 has no such field for requests.
    #[serde(alias = "_encoding")]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    value: Option<String>,
}

/// Reads one entry, which starts at `start`. The inner error says why the request is not sent.
pub(super) fn read(source: &Source, start: usize, json: &str) -> Result<Result<Request, String>, serde_json::Error> {
    let entry: Entry = serde_json::from_str(json)?;
    let status = entry.response.and_then(|response| response.status).map(|status| status as u16);
    let status = status.filter(|status| (100..=999).contains(status));
    let place = FileLine { file: source.file.clone(), line: source.line(start) };
    Ok(request(entry.request, status, place))
}

fn request(recorded: Recorded, expected_status: Option<u16>, place: FileLine) -> Result<Request, String> {
    let method = recorded.method;
    if !headers::is_token(&method) || method == "CONNECT" {
        return Err(format!("has the method `{}`", shortened(&method)));
    }
    if expected_status == Some(101) {
        return Err("became another protocol, such as a WebSocket".to_owned());
    }
    let url = recorded.url.trim();
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    if !["http", "https"].contains(&scheme.as_str()) {
        return Err(format!("is `{}:`, not HTTP", shortened(&scheme)));
    }
    let target = target::read(url).map_err(|(message, _)| message)?;
    let own_port = if scheme == "https" { ":443" } else { ":80" };
    let host = target.host.map(|host| host.strip_suffix(own_port).unwrap_or(&host).to_ascii_lowercase());
    let (body, own_type) = match recorded.post_data {
        Some(data) => (body(&data)?, Some(data.mime_type)),
        None => (Vec::new(), None),
    };
    let mut kept = Vec::new();
    for header in recorded.headers {
        // HTTP/2 sends the request line as `:authority` and similar names.
        let is_not_sent = header.name.starts_with(':') || header.name.eq_ignore_ascii_case("host");
        if is_not_sent || headers::is_the_senders(&header.name) {
            continue;
        }
        if !headers::is_token(&header.name) || !headers::is_value(&header.value) {
            return Err("has a header that cannot be sent".to_owned());
        }
        kept.push((header.name, header.value));
    }
    if let Some(own_type) = own_type.filter(|own_type| !own_type.is_empty() && headers::is_value(own_type))
        && headers::find(&kept, "content-type").is_none()
    {
        kept.push(("Content-Type".to_owned(), own_type));
    }
    let name = default_name(&method, url);
    Ok(Request {
        name,
        place,
        method,
        target: target.target,
        host,
        headers: kept,
        body,
        expected_status,
        secrets: Vec::new(),
    })
}

/// The body's text; without one, the fields of a form.
fn body(data: &PostData) -> Result<Vec<u8>, String> {
    let is_base64 = data.encoding.as_deref().is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64"));
    let fields = data.params.as_deref().unwrap_or_default();
    match &data.text {
        Some(text) if is_base64 => {
            BASE64_STANDARD.decode(text).map_err(|_| "has a body that is not valid base64".to_owned())
        }
        // Some recorders write an empty text beside the fields.
        Some(text) if !text.is_empty() || fields.is_empty() => Ok(text.clone().into_bytes()),
        _ if fields.is_empty() => Ok(Vec::new()),
        _ if data.mime_type.to_ascii_lowercase().starts_with("multipart/") => {
            Err("has a multipart form whose text was not recorded".to_owned())
        }
        _ => Ok(form(fields).into_bytes()),
    }
}

/// The serializer of `application/x-www-form-urlencoded` (<https://url.spec.whatwg.org/#urlencoded-serializing>).
fn form(fields: &[Parameter]) -> String {
    let encode = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b' ' => "+".to_owned(),
                b'*' | b'-' | b'.' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
                _ => format!("%{byte:02X}"),
            })
            .collect()
    };
    let field =
        |field: &Parameter| format!("{}={}", encode(&field.name), encode(field.value.as_deref().unwrap_or_default()));
    fields.iter().map(field).collect::<Vec<_>>().join("&")
}
