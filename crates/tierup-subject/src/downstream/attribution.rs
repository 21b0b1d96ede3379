//! Tells to which request a server's call belongs.

use hyper::{HeaderMap, header::HeaderName};

/// The header of W3C Trace Context: `00-TRACE-PARENT-FLAGS`.
const TRACEPARENT: &str = "traceparent";
/// The key if there is one request at a time.
const ONLY: &str = "";

/// How the calls of a server's requests are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribution {
    /// The server has one request at a time, so all its calls belong to that one.
    Lane,
    /// The server copies this header from a request to the calls that it makes for it. In a `traceparent`, only the
    /// trace counts: the parent changes at each hop.
    Header(HeaderName),
}

impl Attribution {
    /// Attribution by a header; `None` if the name is not a header name.
    pub fn header(name: &str) -> Option<Attribution> {
        name.parse().ok().map(Attribution::Header)
    }

    /// The key that a request and its calls share, read from the headers of one of them; `None` if it has no key.
    pub fn key(&self, headers: &HeaderMap) -> Option<String> {
        let Attribution::Header(name) = self else { return Some(ONLY.to_owned()) };
        let mut values = headers.get_all(name).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let value = value.to_str().ok()?;
        let key = if name == TRACEPARENT { trace(value)? } else { value.trim() };
        (!key.is_empty()).then(|| key.to_owned())
    }
}

/// The trace's identifier: 32 hexadecimal digits that are not all zero (W3C Trace Context, section 3.2.2.3).
fn trace(value: &str) -> Option<&str> {
    let trace = value.trim().split('-').nth(1)?;
    let is_sound = trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_sound && trace.bytes().any(|byte| byte != b'0')).then_some(trace)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn key(name: &'static str, values: &[&'static str]) -> Option<String> {
        let name = HeaderName::from_static(name);
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, HeaderValue::from_static(value));
        }
        Attribution::Header(name).key(&headers)
    }

    #[test]
    fn the_trace_is_the_key_and_its_parent_is_not() {
        let client = key("traceparent", &["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
        let call = key("traceparent", &["00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"]);
        assert_eq!(client.as_deref(), Some("0af7651916cd43dd8448eb211c80319c"));
        assert_eq!(client, call);
        for wrong in ["", "00", "00-1-2-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01"] {
            assert_eq!(key("traceparent", &[wrong]), None, "{wrong}");
        }
    }

    #[test]
    fn a_missing_or_repeated_header_is_no_key() {
        assert_eq!(key("x-request-id", &["a-1"]).as_deref(), Some("a-1"));
        assert_eq!(key("x-request-id", &[]), None);
        assert_eq!(key("x-request-id", &[" "]), None);
        assert_eq!(key("x-request-id", &["a", "b"]), None);
        assert_eq!(Attribution::Lane.key(&HeaderMap::new()).as_deref(), Some(""));
    }
}
