//! What identifies a client, so that it stays with one server during a ramp. In: a request's headers and its client's
//! address. Out: the bytes to hash to a bucket; or nothing, and the request goes to control.

use std::{borrow::Cow, net::IpAddr};

use hyper::{
    HeaderMap,
    header::{COOKIE, HeaderName},
};
use tierup_rollout::{Sticky, network};

/// A [`Sticky`], prepared for looking up requests.
#[derive(Debug)]
pub(super) enum ClientKey {
    Cookie(String),
    Header(HeaderName),
    Address,
}

impl ClientKey {
    /// `None` if no header can have the name, so that no request has this key.
    pub(super) fn new(sticky: &Sticky) -> Option<ClientKey> {
        Some(match sticky {
            Sticky::Cookie(name) => ClientKey::Cookie(name.clone()),
            Sticky::Header(name) => ClientKey::Header(name.parse().ok()?),
            Sticky::Address => ClientKey::Address,
        })
    }

    /// The value that identifies the client; `None` if the cookie or header is missing or empty.
    pub(super) fn of<'a>(&self, headers: &'a HeaderMap, address: impl FnOnce() -> IpAddr) -> Option<Cow<'a, [u8]>> {
        let value = match self {
            ClientKey::Cookie(name) => Cow::Borrowed(cookie(headers, name)?),
            ClientKey::Header(name) => Cow::Borrowed(headers.get(name)?.as_bytes()),
            ClientKey::Address => Cow::Owned(network(address())),
        };
        (!value.is_empty()).then_some(value)
    }
}

/// The first cookie with this name.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a [u8]> {
    let pairs = headers.get_all(COOKIE).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    pairs.map(<[u8]>::trim_ascii).find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(sticky: &str, headers: &[(&'static str, &'static str)], address: &str) -> Option<String> {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), hyper::header::HeaderValue::from_static(value)));
        let sticky: Sticky = sticky.parse().expect("it is one");
        let key = ClientKey::new(&sticky).expect("a header's name");
        let found = key.of(&pairs.collect(), || address.parse().expect("an address"))?.into_owned();
        Some(found.escape_ascii().to_string())
    }

    #[test]
    fn a_cookie_is_found_only_by_its_whole_name() {
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
}
