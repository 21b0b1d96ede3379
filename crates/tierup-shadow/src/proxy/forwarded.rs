//! Tells a server who sent a request, as nginx does: `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`.

use std::net::{IpAddr, SocketAddr};

use hyper::{
    HeaderMap,
    header::{FORWARDED, HOST, HeaderName, HeaderValue},
};
use ipnet::IpNet;

use super::hops::begins_as;
use crate::network::{Client, KnownBy};

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");

/// The other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    address: IpAddr,
    /// The address as a header's value.
    value: HeaderValue,
    /// Whether its statements about its own clients are believed.
    is_trusted: bool,
}

impl Peer {
    pub(crate) fn new(address: IpAddr, trusted: &[IpNet]) -> Peer {
        let address = address.to_canonical();
        // An IP address is always a valid header value.
        let value = HeaderValue::try_from(address.to_string()).unwrap_or(HeaderValue::from_static("unknown"));
        Peer { address, value, is_trusted: trusted.iter().any(|net| net.contains(&address)) }
    }

    /// The client of a request, before [`Peer::forward`]: the last address on its way that is not a trusted proxy's.
    pub(crate) fn client(&self, headers: &HeaderMap, trusted: &[IpNet]) -> Client {
        if !self.is_trusted {
            return Client { address: self.address, known_by: KnownBy::Connection };
        }
        let mut client = Client { address: self.address, known_by: KnownBy::Nobody };
        let values: Vec<&str> = headers.get_all(FOR).iter().filter_map(|value| value.to_str().ok()).collect();
        for before in values.iter().rev().flat_map(|value| value.rsplit(',')) {
            // Nothing before an invalid address can be believed.
            let Some(address) = address(before.trim()) else { return client };
            client = Client { address, known_by: KnownBy::Proxy };
            if !trusted.iter().any(|net| net.contains(&address)) {
                return client;
            }
        }
        client
    }

    /// Adds this peer to the headers about the request's way. An untrusted peer is a client and may lie, so its own
    /// such headers are removed.
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
        headers.insert(FOR, self.way(headers));
    }

    /// The request's way so far, and this peer.
    fn way(&self, headers: &HeaderMap) -> HeaderValue {
        let mut way = Vec::new();
        for before in headers.get_all(FOR) {
            way.extend_from_slice(before.as_bytes());
            way.extend_from_slice(b", ");
        }
        if way.is_empty() {
            return self.value.clone();
        }
        way.extend_from_slice(self.value.as_bytes());
        // The parts are valid header values, so the whole is one.
        HeaderValue::from_bytes(&way).unwrap_or_else(|_| self.value.clone())
    }
}

/// Reads an address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(bare, _)| bare);
    let parsed = bare.parse().or_else(|_| bare.parse::<SocketAddr>().map(|socket| socket.ip()));
    parsed.ok().map(|address| address.to_canonical())
}

/// Whether a header tells who sent the request.
fn speaks_of_the_way(name: &HeaderName) -> bool {
    let is = |known: &HeaderName| name.as_str().len() == known.as_str().len() && begins_as(name, known.as_str());
    begins_as(name, "x-forwarded-") || is(&FORWARDED) || is(&REAL_IP)
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
        Peer::new(address, &[]).forward(&mut headers);
        assert_eq!(headers["x-forwarded-for"], "10.0.0.7");
        assert_eq!(headers["x-forwarded-proto"], "http");
        assert_eq!(headers["x-forwarded-host"], "shop.example");
        assert!(["forwarded", "x-forwarded-ssl", "x_forwarded_for"].iter().all(|name| !headers.contains_key(*name)));

        let mut headers = sent;
        let trusted: IpNet = "10.0.0.0/8".parse().expect("a network");
        Peer::new(address, &[trusted]).forward(&mut headers);
        assert_eq!(headers["x-forwarded-for"], "1.1.1.1, 2.2.2.2, 10.0.0.7");
        assert_eq!(headers["x-forwarded-proto"], "https");
        assert_eq!(headers["forwarded"], "for=1.1.1.1");
        assert_eq!(headers["x-real-ip"], "10.0.0.7");
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8".parse(), "fd00::/8".parse()].into_iter().flatten().collect();
        let client = |peer: &str, ways: &[&'static str]| {
            let headers = ways.iter().map(|way| (FOR, HeaderValue::from_static(way))).collect();
            Peer::new(peer.parse().expect("an address"), &trusted).client(&headers, &trusted)
        };
        let is = |address: &str, known_by| Client { address: address.parse().expect("an address"), known_by };
        assert_eq!(client("1.1.1.1", &["2.2.2.2"]), is("1.1.1.1", KnownBy::Connection), "anybody can say so");
        for (peer, ways, found) in [
            ("::ffff:10.0.0.1", &["2.2.2.2, 3.3.3.3 , 10.0.0.9"][..], "3.3.3.3"),
            ("10.0.0.1", &["2.2.2.2", "10.0.0.9, [fd00::1]:80"], "2.2.2.2"),
            ("10.0.0.1", &["2.2.2.2, unknown, 10.0.0.9"], "10.0.0.9"),
            ("10.0.0.1", &["2.2.2.2:1234"], "2.2.2.2"),
            ("10.0.0.1", &["192.168.3.4"], "192.168.3.4"),
        ] {
            assert_eq!(client(peer, ways), is(found, KnownBy::Proxy), "{ways:?}");
        }
        assert_eq!(client("10.0.0.1", &[]), is("10.0.0.1", KnownBy::Nobody));
        assert_eq!(client("10.0.0.1", &["unknown"]), is("10.0.0.1", KnownBy::Nobody));
    }
}
