//! What holds for every set of requests.

use tierup_requests::{Request, Set};

/// Each request can be sent as it stands, the order names requests that there are, and routes share all of them.
pub fn check_requests(set: &Set) {
    set.requests.iter().for_each(check);
    assert!(!set.order.is_empty() && set.order.iter().all(|index| (*index as usize) < set.requests.len()));
    assert!(set.sequence(10, 1).iter().all(|index| (*index as usize) < set.requests.len()));
    let shares: f64 = set.routes().iter().map(|route| route.share).sum();
    assert!((shares - 1.0).abs() < 1e-6, "{shares}");
}

fn check(request: &Request) {
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':');
    assert!(is_token(&request.method), "{request:?}");
    assert!(request.target == "*" || request.target.starts_with('/'), "{request:?}");
    assert!(request.target.bytes().all(|byte| byte.is_ascii_graphic()), "{request:?}");
    assert!(request.host.as_ref().is_none_or(|host| is_token(&host.replace(':', "."))), "{request:?}");
    for (name, value) in &request.headers {
        assert!(is_token(name) && !value.contains(['\r', '\n', '\0']), "{request:?}");
    }
}
