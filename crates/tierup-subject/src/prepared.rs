//! A request made ready to be sent: once for a server, however often it is sent.

use bytes::Bytes;
use hyper::{
    HeaderMap, Method, Request, Uri,
    header::{ACCEPT, HOST, HeaderName, HeaderValue, USER_AGENT},
};
use tierup_parity::Framing;

use crate::request_body::RequestBody;

/// A request that costs next to nothing to send again.
#[derive(Debug, Clone)]
pub struct Prepared {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    framing: Framing,
}

/// A request that HTTP/1.1 cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{method} {target}` cannot be sent: {reason}")]
pub struct InvalidRequest {
    pub method: String,
    pub target: String,
    pub reason: String,
}

/// Requests, as they are sent to the server of this authority.
///
/// # Errors
/// See [`Prepared::new`].
pub fn prepare<'a>(
    requests: impl IntoIterator<Item = &'a tierup_requests::Request>,
    authority: &str,
) -> Result<Vec<Prepared>, InvalidRequest> {
    requests.into_iter().map(|request| Prepared::from_request(request, authority)).collect()
}

impl Prepared {
    /// A request to the server of this authority (`127.0.0.1:3000`; the `Host` header if the request has none).
    ///
    /// # Errors
    /// If the method, target or a header is not what HTTP/1.1 allows.
    pub fn new(
        method: &str,
        target: &str,
        headers: &[(String, String)],
        body: &[u8],
        authority: &str,
    ) -> Result<Prepared, InvalidRequest> {
        let invalid = |reason: String| InvalidRequest { method: method.to_owned(), target: target.to_owned(), reason };
        let uri = Uri::try_from(target).map_err(|error| invalid(error.to_string()))?;
        let method = Method::from_bytes(method.as_bytes()).map_err(|error| invalid(error.to_string()))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| invalid(error.to_string()))?;
            let value = HeaderValue::from_bytes(value.as_bytes())
                .map_err(|error| invalid(format!("header `{name}`: {error}")))?;
            map.append(name, value);
        }
        let authority = HeaderValue::from_str(authority).map_err(|error| invalid(error.to_string()))?;
        map.entry(HOST).or_insert(authority);
        map.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        map.entry(USER_AGENT).or_insert(HeaderValue::from_static(concat!("tierup/", env!("CARGO_PKG_VERSION"))));
        Ok(Prepared { method, uri, headers: map, body: Bytes::copy_from_slice(body), framing: Framing::Length })
    }

    /// Prepares a user's request.
    ///
    /// # Errors
    /// See [`Prepared::new`].
    pub fn from_request(request: &tierup_requests::Request, authority: &str) -> Result<Prepared, InvalidRequest> {
        Prepared::new(&request.method, &request.target, &request.headers, &request.body, authority)
    }

    /// A request as it was sent before: nothing is added to it.
    pub fn copied(method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Prepared {
        Prepared { method, uri, headers, body, framing: Framing::Length }
    }

    /// The same request, whose body is sent in this way.
    pub fn framed(self, framing: Framing) -> Prepared {
        Prepared { framing, ..self }
    }

    /// The request, ready to be sent.
    pub(crate) fn request(&self) -> Request<RequestBody> {
        let mut request = Request::new(RequestBody::new(self.body.clone(), self.framing, &self.method));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}
