//! Refuses requests that two readers could understand differently, or that need a protocol that is not passed on.

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::{
    Method, Request, Response, StatusCode, Uri, Version,
    header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue, TRANSFER_ENCODING},
    http::uri::PathAndQuery,
};

use super::response_body::FromControl;

/// The body of an answer: a text of the proxy's own, or a server's.
pub(crate) type ToClient = Either<Full<Bytes>, FromControl>;

/// Why a request is not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host,
    Target,
    Connect,
    Coding,
    Grpc,
    ControlUnreachable,
    ControlBrokeOff,
    ControlTimedOut,
    NoRoom,
    BodyStalled,
    BodyBroken,
}

impl Refusal {
    fn says(self) -> (StatusCode, &'static str) {
        match self {
            Refusal::Host => (StatusCode::BAD_REQUEST, "the request must name one host, and the same in its target"),
            Refusal::Target => {
                (StatusCode::BAD_REQUEST, "the target must be a path, or an http:// or https:// address")
            }
            Refusal::Connect => (StatusCode::METHOD_NOT_ALLOWED, "CONNECT is not supported"),
            Refusal::Coding => (StatusCode::NOT_IMPLEMENTED, "the only supported transfer coding is chunked"),
            Refusal::Grpc => (
                StatusCode::HTTP_VERSION_NOT_SUPPORTED,
                "gRPC is not supported; put nginx or Envoy in front, and route it past tierup",
            ),
            Refusal::ControlUnreachable => (StatusCode::BAD_GATEWAY, "the server cannot be reached"),
            Refusal::ControlBrokeOff => {
                (StatusCode::BAD_GATEWAY, "the server closed the connection before it answered")
            }
            Refusal::ControlTimedOut => {
                (StatusCode::GATEWAY_TIMEOUT, "the server did not accept the connection in time")
            }
            Refusal::NoRoom => {
                (StatusCode::SERVICE_UNAVAILABLE, "the proxy has nothing left to make a connection to the server with")
            }
            Refusal::BodyBroken => (StatusCode::BAD_REQUEST, "the request's body is malformed"),
            Refusal::BodyStalled => (StatusCode::REQUEST_TIMEOUT, "the request's body stopped"),
        }
    }

    pub(crate) fn answer(self) -> Response<ToClient> {
        let (status, text) = self.says();
        let mut response = Response::new(Either::Left(Full::new(Bytes::from(format!("{text}\n")))));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if status != StatusCode::BAD_GATEWAY && status != StatusCode::GATEWAY_TIMEOUT {
            // If one request is ambiguous, so is what follows it on the connection.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// The answer to a mirrored request, which nobody reads.
pub(super) fn no_content() -> Response<ToClient> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Refuses requests that are ambiguous, and reduces the target to the form that servers get: a path.
///
/// hyper has already refused heads outside the grammar, two different lengths, and a last coding that is not chunked.
/// Of `Content-Length` and `Transfer-Encoding` together it drops the former, as RFC 9112, section 6.3, allows.
pub(crate) fn refuse<B>(request: &mut Request<B>) -> Result<(), Refusal> {
    if request.method() == Method::CONNECT {
        return Err(Refusal::Connect);
    }
    let headers = request.headers();
    let mut hosts = headers.get_all(HOST).iter();
    let (host, another) = (hosts.next(), hosts.next());
    if another.is_some() || (host.is_none() && request.version() >= Version::HTTP_11) {
        return Err(Refusal::Host);
    }
    if host.is_some_and(|host| !host.as_bytes().iter().all(|byte| is_of_a_host(*byte))) {
        return Err(Refusal::Host);
    }
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    if codings.next().is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
        || codings.next().is_some()
    {
        return Err(Refusal::Coding);
    }
    if headers.get(CONTENT_TYPE).is_some_and(is_grpc) {
        return Err(Refusal::Grpc);
    }
    let uri = request.uri();
    let is_path = uri.authority().is_none() && uri.path().starts_with('/');
    let is_server = request.method() == Method::OPTIONS && uri.path() == "*";
    let is_absolute = uri.authority().is_some() && matches!(uri.scheme_str(), Some("http" | "https"));
    if !(is_path || is_server || is_absolute) {
        return Err(Refusal::Target);
    }
    if let Some(authority) = uri.authority() {
        let is_same = host.is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes()));
        if !is_same {
            return Err(Refusal::Host);
        }
        // An empty path, as of `http://a.example#b`, would stay empty in the request to the server.
        let path = request.uri().path_and_query().cloned().filter(|path| path.as_str() != "/");
        *request.uri_mut() = Uri::from(path.unwrap_or(PathAndQuery::from_static("/")));
    }
    Ok(())
}

/// Whether a byte may be part of a host and port (RFC 3986, section 3.2.2), except `,`, which separates members.
fn is_of_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%:[]!$&'()*+;=".contains(&byte)
}

/// `application/grpc`, with or without a subtype; not `application/grpc-web`, which is made for HTTP/1.1.
fn is_grpc(content_type: &HeaderValue) -> bool {
    let text = content_type.as_bytes();
    let rest = text.get(..16).filter(|start| start.eq_ignore_ascii_case(b"application/grpc")).map(|_| &text[16..]);
    rest.is_some_and(|rest| !rest.starts_with(b"-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &str, target: &str, headers: &[(&str, &str)]) -> Result<String, Refusal> {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(()).expect("a request");
        refuse(&mut request).map(|()| request.uri().to_string())
    }

    #[test]
    fn ambiguous_requests_are_refused() {
        let host = ("host", "a.example");
        assert_eq!(refused("GET", "/x?y", &[host]), Ok("/x?y".to_owned()));
        assert_eq!(refused("GET", "http://A.example/x", &[host]), Ok("/x".to_owned()));
        assert_eq!(refused("GET", "http://a.example", &[host]), Ok("/".to_owned()));
        assert_eq!(refused("GET", "http://a.example#x?y", &[host]), Ok("/".to_owned()));
        assert_eq!(refused("GET", "http://a.example?x", &[host]), Ok("/?x".to_owned()));
        assert_eq!(refused("OPTIONS", "*", &[host]), Ok("*".to_owned()));
        assert_eq!(refused("GET", "*", &[host]), Err(Refusal::Target));
        assert_eq!(refused("GET", "a.example", &[host]), Err(Refusal::Target));
        assert_eq!(refused("GET", "ftp://a.example/x", &[host]), Err(Refusal::Target));
        assert_eq!(refused("GET", "/", &[("host", "[::1]:80")]), Ok("/".to_owned()));
        for wrong in ["a, b", "a,b", "a b", "a/b", "b@a", "a?b"] {
            assert_eq!(refused("GET", "/", &[("host", wrong)]), Err(Refusal::Host), "{wrong}");
        }
        assert_eq!(refused("GET", "http://b.example/x", &[host]), Err(Refusal::Host));
        assert_eq!(refused("GET", "/", &[]), Err(Refusal::Host));
        assert_eq!(refused("GET", "/", &[host, host]), Err(Refusal::Host));
        assert_eq!(refused("CONNECT", "a.example:443", &[host]), Err(Refusal::Connect));
        assert_eq!(refused("POST", "/", &[host, ("transfer-encoding", "gzip, chunked")]), Err(Refusal::Coding));
        assert_eq!(refused("POST", "/", &[host, ("transfer-encoding", "Chunked")]), Ok("/".to_owned()));
        assert_eq!(refused("POST", "/", &[host, ("content-type", "application/grpc+proto")]), Err(Refusal::Grpc));
        assert_eq!(refused("POST", "/", &[host, ("content-type", "application/grpc-web")]), Ok("/".to_owned()));
    }
}
