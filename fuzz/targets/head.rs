//! Request heads: what the proxy refuses, and what is left of a head that it passes on. A line is `METHOD TARGET`, each of
//! the others a header.

#![no_main]

use bytes::Bytes;
use forwarded::Peer;
use hyper::{
    HeaderMap, Request,
    header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue},
};
use libfuzzer_sys::fuzz_target;

#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/tierup-shadow/src/proxy/forwarded.rs"]
mod forwarded;
#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/tierup-shadow/src/proxy/hops.rs"]
mod hops;
#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/tierup-shadow/src/network.rs"]
mod network;
#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/tierup-shadow/src/proxy/refusal.rs"]
mod refusal;

/// What `refusal` needs of its neighbour.
mod response_body {
    pub(crate) type FromControl = http_body_util::Full<super::Bytes>;
}

fuzz_target!(|text: &[u8]| {
    let Some(mut request) = request(text) else { return };
    if refusal::refuse(&mut request).is_err() {
        return;
    }
    let uri = request.uri();
    assert!(uri.authority().is_none() && (uri.path().starts_with('/') || uri.path() == "*"), "{uri}");
    let before = request.headers().clone();
    let is_upgrade = hops::asks_for_upgrade(&before);
    let headers = request.headers_mut();
    hops::strip_request(headers, is_upgrade);
    headers.entry(HOST).or_insert(HeaderValue::from_static("control"));
    Peer::new([127, 0, 0, 1].into(), &[]).forward(headers);
    check(&before, headers);
    let passed = headers.clone();
    hops::strip_request(headers, is_upgrade);
    assert_eq!(*headers, passed, "what is passed on holds nothing more to remove");
});

fn request(text: &[u8]) -> Option<Request<()>> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let mut start = lines.next()?.splitn(2, |byte| *byte == b' ');
    let mut request = Request::builder().method(start.next()?).uri(start.next()?).body(()).ok()?;
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let (name, value) = (HeaderName::from_bytes(&line[..colon]), HeaderValue::from_bytes(&line[colon + 1..]));
        request.headers_mut().append(name.ok()?, value.ok()?);
    }
    Some(request)
}

fn check(before: &HeaderMap, headers: &HeaderMap) {
    assert_eq!(headers.get_all(HOST).iter().count(), 1);
    for kept in [CONTENT_LENGTH, CONTENT_TYPE] {
        assert!(headers.get_all(&kept).iter().eq(before.get_all(&kept)), "{kept}");
    }
    for (name, value) in headers {
        // As a server reads it that takes `_` for `-`.
        let read = name.as_str().replace('_', "-");
        let own = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip"].contains(&name.as_str());
        assert!(own || !(read.starts_with("x-forwarded-") || read == "x-real-ip" || read == "forwarded"), "{name}");
        assert!(!["keep-alive", "proxy-connection", "expect"].contains(&name.as_str()), "{name}");
        assert!(!["transfer-encoding", "x-tierup-shadow"].contains(&read.as_str()), "{name}");
        assert!(read != "content-length" || *name == CONTENT_LENGTH, "{name}");
        assert!(*name != CONNECTION || *value == "te" || *value == "upgrade", "{value:?}");
    }
    assert_eq!(headers["x-forwarded-for"], "127.0.0.1");
    assert_eq!(headers["x-forwarded-host"], headers[HOST]);
}
