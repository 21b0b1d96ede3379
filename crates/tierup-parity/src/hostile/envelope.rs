//! Wrong methods, paths and headers.

use tierup_requests::Request;

use super::{Hostile, Methods, variation};

/// These methods change nothing, whatever the request asks for.
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];
/// These methods may change something; the effect of an unknown method is unknown.
const OTHERS: [&str; 5] = ["POST", "PUT", "PATCH", "DELETE", "TIERUP"];
const CONTENT_TYPES: [&str; 7] = [
    "text/plain", "application/json", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data",
    "application/json; charset=utf-16", ";",
];

pub(super) fn hostile(good: &Request, methods: Methods) -> Vec<Hostile> {
    let method =
        |method: &&str| variation(good, format!("method {method}"), |request| request.method = method.to_string());
    let others = OTHERS.iter().filter(|_| methods == Methods::Any);
    let mut all: Vec<Hostile> =
        SAFE.iter().chain(others).filter(|method| **method != good.method).map(method).collect();
    let (path, query) = good.target.split_at(good.target.find('?').unwrap_or(good.target.len()));
    let paths = [
        ("a slash at its end", format!("{path}/")),
        ("in capitals", path.to_ascii_uppercase()),
        ("one step further", format!("{}/tierup", path.trim_end_matches('/'))),
        ("two slashes at its start", format!("/{path}")),
        ("not UTF-8", format!("{path}%FF")),
    ];
    // `*` is not a path.
    for (what, path) in paths.into_iter().filter(|_| path.starts_with('/')) {
        all.push(variation(good, format!("path: {what}"), |request| request.target = format!("{path}{query}")));
    }
    if !good.body.is_empty() {
        let without =
            |request: &mut Request| request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        all.push(variation(good, "no content type", without));
        all.extend(CONTENT_TYPES.map(|content_type| {
            variation(good, format!("content type `{content_type}`"), |request| {
                without(request);
                request.headers.push(("Content-Type".to_owned(), content_type.to_owned()));
            })
        }));
        all.push(variation(good, "a content encoding that the body is not in", |request| {
            request.headers.push(("Content-Encoding".to_owned(), "gzip".to_owned()));
        }));
    }
    all.push(variation(good, "accepts nothing that there is", |request| {
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("accept"));
        request.headers.push(("Accept".to_owned(), "application/x-tierup".to_owned()));
    }));
    // Node allows 16 KiB of headers, Go 1 MiB, hyper 100 headers.
    for (what, size) in [("of 20 kB", 20_000), ("of 2 MB", 2_000_000)] {
        all.push(variation(good, format!("a header {what}"), |request| {
            request.headers.push(("X-Tierup".to_owned(), "a".repeat(size)));
        }));
    }
    all.push(variation(good, "200 headers", |request| {
        request.headers.extend((0..200).map(|number| (format!("X-Tierup-{number}"), "a".to_owned())));
    }));
    all
}
