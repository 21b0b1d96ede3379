//! Requests made ready before the clock runs, and what counts as a right answer to each.

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    HeaderMap, Method, Request, Uri,
    header::{ACCEPT, HOST, HeaderName, HeaderValue, USER_AGENT},
};

/// What is sent to one server, in which order, and what is right.
#[derive(Debug)]
pub struct Workload {
    pub requests: Vec<Prepared>,
    /// Indices into `requests`; every connection walks along it from a place of its own. Not empty.
    pub order: Vec<u32>,
    /// One for each request.
    pub expected: Vec<Expectation>,
}

/// A request that costs next to nothing to send again.
#[derive(Debug, Clone)]
pub struct Prepared {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

/// A request that HTTP/1.1 cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{method} {target}` cannot be sent: {reason}")]
pub struct InvalidRequest {
    pub method: String,
    pub target: String,
    pub reason: String,
}

/// A right answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub status: u16,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// These bytes, and no others.
    Exactly(Bytes),
    /// It differs from answer to answer, as the check saw; only its status can be verified.
    Varies,
}

impl Prepared {
    /// A request to the server of this authority (`127.0.0.1:3000`, the `Host` header where it has none).
    ///
    /// # Errors
    /// Where the method, target or a header is not what HTTP/1.1 allows.
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
        Ok(Prepared { method, uri, headers: map, body: Bytes::copy_from_slice(body) })
    }

    /// As it is sent, with its length.
    pub fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

impl Workload {
    /// The request at a place in the order, however far along it.
    pub(super) fn at(&self, place: usize) -> (&Prepared, &Expectation) {
        let index = self.order[place % self.order.len()] as usize;
        (&self.requests[index], &self.expected[index])
    }
}
