//! What identifies a client, so that it stays with one server during a ramp. In: a request's headers and its client's
//! address. Out: the bytes that are hashed to a bucket, or nothing: such a request goes to control.

use std::{borrow::Cow, fmt, net::IpAddr, str::FromStr};

use hyper::{
    HeaderMap,
    header::{COOKIE, HeaderName},
};

/// The part of a request that identifies its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sticky {
    /// The value of a cookie.
    Cookie(String),
    /// The value of a header.
    Header(HeaderName),
    /// The client's address, as the trusted proxies report it.
    Address,
}

/// A text is no [`Sticky`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it must be `cookie:NAME`, `header:NAME` or `address`")]
pub struct StickyError;

impl FromStr for Sticky {
    type Err = StickyError;

    fn from_str(text: &str) -> Result<Sticky, StickyError> {
        match text.split_once(':') {
            None if text == "address" => Ok(Sticky::Address),
            // A cookie's name is a token, as a header's is (RFC 6265, section 4.1.1), but its case counts.
            Some(("cookie", name)) if HeaderName::from_str(name).is_ok() => Ok(Sticky::Cookie(name.to_owned())),
            Some(("header", name)) => name.parse().map(Sticky::Header).map_err(|_| StickyError),
            _ => Err(StickyError),
        }
    }
}

impl fmt::Display for Sticky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sticky::Cookie(name) => write!(f, "cookie:{name}"),
            Sticky::Header(name) => write!(f, "header:{name}"),
            Sticky::Address => f.write_str("address"),
        }
    }
}

impl Sticky {
    /// What identifies the client; nothing where the cookie or header is missing or empty.
    pub(crate) fn of<'a>(&self, headers: &'a HeaderMap, address: impl FnOnce() -> IpAddr) -> Option<Cow<'a, [u8]>> {
        let value = match self {
            Sticky::Cookie(name) => Cow::Borrowed(cookie(headers, name)?),
            Sticky::Header(name) => Cow::Borrowed(headers.get(name)?.as_bytes()),
            Sticky::Address => Cow::Owned(network(address())),
        };
        (!value.is_empty()).then_some(value)
    }
}

/// The first cookie of this name.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a [u8]> {
    let pairs = headers.get_all(COOKIE).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    pairs.map(<[u8]>::trim_ascii).find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// An IPv4 address, or the first 64 bits of an IPv6 address: a client changes the others now and then (RFC 8981).
fn network(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets()[..8].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(sticky: &str, headers: &[(&'static str, &'static str)], address: &str) -> Option<String> {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), hyper::header::HeaderValue::from_static(value)));
        let sticky: Sticky = sticky.parse().expect("it is one");
        let found = sticky.of(&pairs.collect(), || address.parse().expect("an address"))?.into_owned();
        Some(found.escape_ascii().to_string())
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let sent = [("cookie", "xsession=1; session2=2;session=a=b ; session=c"), ("cookie", "Session=d")];
        assert_eq!(key("cookie:session", &sent, "::1").as_deref(), Some("a=b"));
        assert_eq!(key("cookie:Session", &sent, "::1").as_deref(), Some("d"));
        assert_eq!(key("cookie:sess", &sent, "::1"), None);
        assert_eq!(key("cookie:session", &[("cookie", "session=")], "::1"), None, "an empty key would be everybody's");
        assert_eq!(key("cookie:session", &[], "::1"), None);
    }

    #[test]
    fn a_header_and_an_address_are_keys() {
        assert_eq!(key("header:X-User", &[("x-user", "7")], "::1").as_deref(), Some("7"));
        assert_eq!(key("header:x-user", &[("x-user", "")], "::1"), None);
        assert_eq!(key("address", &[], "10.0.0.1"), key("address", &[], "::ffff:10.0.0.1"));
        assert_eq!(key("address", &[], "2001:db8::1"), key("address", &[], "2001:db8::2"));
        assert_ne!(key("address", &[], "2001:db8::1"), key("address", &[], "2001:db8:0:1::1"));
    }

    #[test]
    fn what_is_no_key_is_refused_and_what_is_one_is_shown_as_it_is_read() {
        for text in ["cookie:SID", "header:x-user-id", "address"] {
            assert_eq!(text.parse::<Sticky>().map(|sticky| sticky.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "cookie", "cookie:", "cookie:a b", "cookie:a;b", "header:", "header:a:b", "ip", "Address"] {
            assert_eq!(text.parse::<Sticky>(), Err(StickyError), "{text}");
        }
    }
}
