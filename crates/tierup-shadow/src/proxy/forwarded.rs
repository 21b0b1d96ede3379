//! Says to a server who asked, as nginx does: `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`.

use std::net::IpAddr;

use hyper::{
    HeaderMap,
    header::{FORWARDED, HOST, HeaderName, HeaderValue},
};

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");

/// Who a connection came from.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    /// As a header says it.
    value: HeaderValue,
    text: String,
    /// Whether what it says of its own clients is believed.
    is_trusted: bool,
}

impl Peer {
    pub(crate) fn new(address: IpAddr, is_trusted: bool) -> Peer {
        let text = address.to_canonical().to_string();
        // An IP address is always a header's value.
        let value = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("unknown"));
        Peer { value, text, is_trusted }
    }

    /// Adds this peer to what the headers say of the request's way. What somebody says who is not trusted is removed: it
    /// is a client, and could be lying.
    pub(crate) fn forward(&self, headers: &mut HeaderMap) {
        if !self.is_trusted {
            let said: Vec<HeaderName> = headers.keys().filter(|name| speaks_of_the_way(name)).cloned().collect();
            said.iter().for_each(|name| {
                headers.remove(name);
            });
        }
        let host = headers.get(HOST).cloned();
        let (own, http) = (self.value.clone(), HeaderValue::from_static("http"));
        for (name, value) in [(REAL_IP, Some(own)), (PROTO, Some(http)), (FORWARDED_HOST, host)] {
            if let Some(value) = value {
                headers.entry(name).or_insert(value);
            }
        }
        let before: Vec<&str> = headers.get_all(FOR).iter().filter_map(|value| value.to_str().ok()).collect();
        let way = match before.is_empty() {
            true => self.text.clone(),
            false => format!("{}, {}", before.join(", "), self.text),
        };
        if let Ok(way) = HeaderValue::from_str(&way) {
            headers.insert(FOR, way);
        }
    }
}

/// Whether a header says who asked, or that this is a copy. Some servers read `X_Real_IP` as `X-Real-IP` (CGI, RFC 3875,
/// section 4.1.18).
fn speaks_of_the_way(name: &HeaderName) -> bool {
    let name = name.as_str().replace('_', "-");
    name.starts_with("x-forwarded-") || [FORWARDED, REAL_IP].iter().any(|known| *known == name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        let said =
            |name: &'static str, value: &'static str| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let sent: HeaderMap = [
            said("host", "shop.example"),
            said("x-forwarded-for", "1.1.1.1"),
            said("x-forwarded-for", "2.2.2.2"),
            said("x-forwarded-proto", "https"),
            said("x-forwarded-host", "evil.example"),
            said("forwarded", "for=1.1.1.1"),
            said("x-forwarded-ssl", "on"),
            said("x_forwarded_for", "3.3.3.3"),
        ]
        .into_iter()
        .collect();
        let address: IpAddr = "::ffff:10.0.0.7".parse().expect("an address");

        let mut headers = sent.clone();
        Peer::new(address, false).forward(&mut headers);
        assert_eq!(headers["x-forwarded-for"], "10.0.0.7");
        assert_eq!(headers["x-forwarded-proto"], "http");
        assert_eq!(headers["x-forwarded-host"], "shop.example");
        assert!(["forwarded", "x-forwarded-ssl", "x_forwarded_for"].iter().all(|name| !headers.contains_key(*name)));

        let mut headers = sent;
        Peer::new(address, true).forward(&mut headers);
        assert_eq!(headers["x-forwarded-for"], "1.1.1.1, 2.2.2.2, 10.0.0.7");
        assert_eq!(headers["x-forwarded-proto"], "https");
        assert_eq!(headers["forwarded"], "for=1.1.1.1");
        assert_eq!(headers["x-real-ip"], "10.0.0.7");
    }
}
