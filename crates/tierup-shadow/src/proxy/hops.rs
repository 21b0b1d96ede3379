//! Headers that belong to one connection, not to the message: they are not passed on (RFC 9110, section 7.6.1).

use hyper::{
    HeaderMap,
    header::{
        CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE,
        TRANSFER_ENCODING, UPGRADE,
    },
};

/// The header that marks copies.
pub(crate) const SHADOW: HeaderName = HeaderName::from_static("x-tierup-shadow");
const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const TRAILERS: HeaderValue = HeaderValue::from_static("trailers");

/// Headers that the message needs: `Connection: Content-Length` does not remove them.
const KEPT: [HeaderName; 3] = [HOST, CONTENT_LENGTH, CONTENT_TYPE];

/// Whether the client asks for another protocol on this connection. HTTP/2 is not passed on: a client that asks for it
/// by `h2c` continues with HTTP/1.1, as it must be ready to (RFC 9110, section 7.8).
pub(crate) fn asks_for_upgrade(headers: &HeaderMap) -> bool {
    let is_named = headers.get_all(CONNECTION).iter().any(|value| tokens(value).any(|token| is(token, "upgrade")));
    let protocols = || headers.get_all(UPGRADE).iter().flat_map(tokens);
    is_named && protocols().next().is_some() && !protocols().any(|protocol| is(protocol, "h2c"))
}

/// Removes headers of the client's connection. Trailers are passed on, so `TE: trailers` is, too.
pub(crate) fn strip_request(headers: &mut HeaderMap, is_upgrade: bool) {
    let takes_trailers = headers.get_all(TE).iter().any(|value| tokens(value).any(|token| is(token, "trailers")));
    strip_also(headers, is_upgrade, |name| {
        // `Proxy-Authorization` is meant for this proxy, which needs none. hyper itself sends `100 Continue` once the
        // body is read, so servers do not get `Expect`.
        *name == TE || *name == PROXY_AUTHORIZATION || *name == EXPECT || is_shadow(name) || frames(name)
    });
    if takes_trailers {
        headers.insert(TE, TRAILERS);
        headers.append(CONNECTION, HeaderValue::from_static("te"));
    }
}

/// Whether the header marks a request as a copy, which no client may do.
fn is_shadow(name: &HeaderName) -> bool {
    name.as_str().len() == SHADOW.as_str().len() && begins_as(name, SHADOW.as_str())
}

/// Whether some servers would read it as a header that frames the message: `Transfer_Encoding`.
fn frames(name: &HeaderName) -> bool {
    let is = |known: &HeaderName| name.as_str().len() == known.as_str().len() && begins_as(name, known.as_str());
    name.as_str().contains('_') && [TRANSFER_ENCODING, CONTENT_LENGTH].iter().any(is)
}

/// Whether a header's name begins with `start`, with `_` for `-` as well: some servers read `X_Real_IP` as `X-Real-IP`
/// (CGI, RFC 3875, section 4.1.18).
pub(super) fn begins_as(name: &HeaderName, start: &str) -> bool {
    let same = |(own, other): (u8, u8)| own == other || (own == b'_' && other == b'-');
    name.as_str().len() >= start.len() && name.as_str().bytes().zip(start.bytes()).all(same)
}

/// Removes headers that belong to one connection, from a request or an answer.
pub(crate) fn strip(headers: &mut HeaderMap, is_upgrade: bool) {
    strip_also(headers, is_upgrade, |_| false);
}

/// [`strip`], which also removes `also`. Most messages have few such headers, so one pass over the names finds them.
fn strip_also(headers: &mut HeaderMap, is_upgrade: bool, also: impl Fn(&HeaderName) -> bool) {
    let mut wrong: Vec<HeaderName> = Vec::new();
    for name in headers.keys() {
        let is_hop = [CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TRANSFER_ENCODING].contains(name);
        if is_hop || (*name == UPGRADE && !is_upgrade) || also(name) {
            wrong.push(name.clone());
        }
    }
    if wrong.contains(&CONNECTION) {
        let named = headers.get_all(CONNECTION).iter().flat_map(tokens);
        let named =
            named.filter(|token| !["keep-alive", "close", "upgrade", "te"].iter().any(|known| is(token, known)));
        wrong.extend(named.filter_map(|token| token.parse().ok()).filter(|name| !KEPT.contains(name)));
    }
    for name in &wrong {
        headers.remove(name);
    }
    if is_upgrade {
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
}

/// The members of a list header, without their parameters.
fn tokens(value: &HeaderValue) -> impl Iterator<Item = &str> {
    let text = value.to_str().unwrap_or_default();
    text.split(',').map(|token| token.split(';').next().unwrap_or_default().trim()).filter(|token| !token.is_empty())
}

/// Tokens are compared without case (RFC 9110, section 7.6.1).
fn is(token: &str, known: &str) -> bool {
    token.eq_ignore_ascii_case(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    fn left(headers: &HeaderMap) -> Vec<String> {
        let mut lines: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or("?"))).collect();
        lines.sort();
        lines
    }

    #[test]
    fn headers_named_by_connection_are_removed_except_framing_ones() {
        let mut all = headers(&[
            ("connection", "close, X-Secret, Content-Length"),
            ("connection", "x-other"),
            ("keep-alive", "timeout=5"),
            ("proxy-connection", "keep-alive"),
            ("proxy-authorization", "Basic x"),
            ("te", "gzip"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("x-secret", "a"),
            ("x-other", "b"),
            ("content-length", "3"),
            ("accept", "*/*"),
        ]);
        assert!(!asks_for_upgrade(&all));
        strip_request(&mut all, false);
        assert_eq!(left(&all), ["accept: */*", "content-length: 3"]);
    }

    #[test]
    fn an_upgrade_and_trailers_are_asked_for_again() {
        let mut all = headers(&[("connection", "keep-alive, Upgrade"), ("upgrade", "websocket")]);
        assert!(asks_for_upgrade(&all));
        strip_request(&mut all, true);
        assert_eq!(left(&all), ["connection: upgrade", "upgrade: websocket"]);
        assert!(!asks_for_upgrade(&headers(&[("upgrade", "websocket")])));
        assert!(!asks_for_upgrade(&headers(&[("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c")])));

        let mut all = headers(&[("te", "trailers;q=1, gzip")]);
        strip_request(&mut all, false);
        assert_eq!(left(&all), ["connection: te", "te: trailers"]);
    }
}
