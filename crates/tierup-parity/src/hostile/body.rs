//! Bodies that are wrong whatever their format: cut, empty, not UTF-8, too large, framed differently.

use tierup_requests::Request;

use super::{Framing, Hostile, Limits, variation};

/// Sizes just above 1 MiB and 16 MiB. Common limits are 100 kB (Express), 1 MiB (nginx), 2 MiB (axum) and 10 MiB.
const LARGE: [(&str, usize); 2] =
    [("large: 1 MiB and a byte", (1 << 20) + 1), ("huge: 16 MiB and a byte", (16 << 20) + 1)];

pub(super) fn hostile(good: &Request, limits: Limits) -> Vec<Hostile> {
    if good.body.is_empty() {
        return vec![variation(good, "body: an unexpected one", |request| request.body = b"tierup".to_vec())];
    }
    let body = |what: &str, body: Vec<u8>| variation(good, format!("body: {what}"), |request| request.body = body);
    let length = good.body.len();
    let mut all = vec![
        body("empty", Vec::new()),
        body("cut in half", good.body[..length / 2].to_vec()),
        body("cut by a byte", good.body[..length - 1].to_vec()),
        body("twice", good.body.repeat(2)),
        body("a NUL", vec![0]),
        body("not UTF-8", vec![0xff, 0xfe, 0xfd]),
        body("not UTF-8 at its end", [&good.body[..], &[0xc3]].concat()),
        body("a byte order mark before it", [&[0xef, 0xbb, 0xbf], &good.body[..]].concat()),
    ];
    // Most formats allow trailing space, so only the size is wrong.
    let padded = |size: usize| {
        let mut padded = good.body.clone();
        padded.resize(size.max(length), b' ');
        padded
    };
    if let Some(limit) = limits.body {
        all.push(body("as long as it may be", padded(limit)));
        all.push(body("too long by one", padded(limit + 1)));
    }
    all.extend(LARGE.map(|(what, size)| body(what, padded(size))));
    let chunked =
        |hostile: Hostile| Hostile { framing: Framing::Chunked, what: format!("{}, chunked", hostile.what), ..hostile };
    let also_chunked = [body("as it was", good.body.clone()), body("cut in half", good.body[..length / 2].to_vec())];
    all.extend(also_chunked.map(chunked));
    all.push(chunked(body(LARGE[0].0, padded(LARGE[0].1))));
    all
}
