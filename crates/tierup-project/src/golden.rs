//! The golden request of `[health]` over HTTP: the request to send to a server, and the bytes of its answer to hash.
//!
//! In: `request` and `body` of `[health]`, and an answer's body. Out: a request, and the bytes whose hash must be one
//! of `sha256`.

use tierup_codegen::{Keys, Project, Route};
use tierup_model::Type;
use tierup_requests::{FileLine, Request};

use crate::{
    request::{match_path, parse},
    value::from_json,
};

/// The golden request, as it is sent to a server.
#[derive(Debug, Clone)]
pub struct GoldenRequest {
    pub request: Request,
    /// The function of the route that answers it.
    function: usize,
    keys: Keys,
}

/// The golden request with this line and body, if a route answers it.
pub(crate) fn read(line: &str, body: Option<&str>, project: &Project) -> Option<GoldenRequest> {
    let parsed = parse(line).ok()?;
    let route: &Route = project.routes.iter().find(|route| match_path(&parsed, route).is_some())?;
    let function = &project.interface.functions[route.function];
    let taken = route.whole_body().and_then(|name| function.parameters.iter().find(|taken| taken.name == name));
    let content_type = match taken.map(|taken| &taken.ty) {
        Some(Type::Text) => "text/plain",
        Some(Type::Bytes) => "application/octet-stream",
        _ => "application/json",
    };
    let headers = body.map(|_| ("Content-Type".to_owned(), content_type.to_owned()));
    let request = Request {
        name: line.to_owned(),
        place: FileLine { file: "tierup.toml".to_owned(), line: 1 },
        method: parsed.method.to_owned(),
        target: line.split_once(' ')?.1.to_owned(),
        host: None,
        headers: headers.into_iter().collect(),
        body: body.unwrap_or_default().as_bytes().to_vec(),
        expected_status: None,
        secrets: Vec::new(),
    };
    Some(GoldenRequest { request, function: route.function, keys: route.keys })
}

impl GoldenRequest {
    /// The bytes of an answer that `sha256` of `[health]` is computed from: text and bytes as they are, other values
    /// encoded. `None` if the body is not a value of the function's type.
    pub fn content(&self, body: &[u8], project: &Project) -> Option<Vec<u8>> {
        let interface = &project.interface;
        let ty = interface.functions[self.function].output.ty.as_ref()?;
        if matches!(ty, Type::Text | Type::Bytes) {
            return Some(body.to_vec());
        }
        let json = serde_json::from_slice(body).ok()?;
        let mut encoded = Vec::new();
        from_json(&json, ty, interface, self.keys).ok()?.encode(ty, interface, &mut encoded).ok()?;
        Some(encoded)
    }
}
