//! Request lines: `GET /thumbnail?url={url}` as a pattern, `GET /thumbnail?url=a.png` as a request.

use std::ops::Range;

use tierup_codegen::Route;

/// Method, path and query of a request line, with their places in it.
pub(crate) struct RequestLine<'a> {
    pub(crate) method: &'a str,
    /// The path's segments, without slashes.
    pub(crate) segments: Vec<(&'a str, Range<usize>)>,
    /// Keys and values; a value is `None` if the parameter has no `=`.
    pub(crate) query: Vec<(&'a str, Option<&'a str>, Range<usize>)>,
    pub(crate) path: &'a str,
}

/// A problem of a request line, and its place in that line.
pub(crate) type Wrong = (String, Range<usize>);

/// Splits a line into its parts without decoding them.
pub(crate) fn parse(line: &str) -> Result<RequestLine<'_>, Wrong> {
    let whole = 0..line.len();
    let Some((method, target)) = line.split_once(' ') else {
        return Err(("write a method and a path, e.g. `GET /thumbnail?url={url}`".into(), whole));
    };
    if !matches!(method, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS") {
        return Err((format!("a route does not support the HTTP method `{method}`"), 0..method.len()));
    }
    let start = method.len() + 1;
    if !target.starts_with('/') || target.contains([' ', '#']) {
        return Err(("a path must start with `/` and must not contain spaces or `#`".into(), start..line.len()));
    }
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let segments = places(&path[1..], '/', start + 1).collect();
    let query = query.map_or_else(Vec::new, |query| {
        let pairs = places(query, '&', start + path.len() + 1).filter(|(pair, _)| !pair.is_empty());
        let pairs = pairs.map(|(pair, place)| match pair.split_once('=') {
            Some((key, value)) => (key, Some(value), place),
            None => (pair, None, place),
        });
        pairs.collect()
    });
    Ok(RequestLine { method, segments, query, path })
}

/// The name in a capture: `{name}` gives `name`.
pub(crate) fn capture(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

/// The captures of a path, if it matches the route.
pub(crate) fn match_path(line: &RequestLine<'_>, route: &Route) -> Option<Vec<(String, String)>> {
    let pattern: Vec<_> = route.path[1..].split('/').collect();
    if line.method != route.method || pattern.len() != line.segments.len() {
        return None;
    }
    let mut captured = Vec::new();
    for (pattern, (segment, _)) in pattern.into_iter().zip(&line.segments) {
        match capture(pattern) {
            Some(name) if !segment.is_empty() => captured.push((name.to_owned(), decode(segment, false)?)),
            None if pattern == *segment => {}
            _ => return None,
        }
    }
    Some(captured)
}

/// Decodes percent-encoding, and in a query `+` as a space. `None` if the result is not UTF-8, or a `%` has no two hex
/// digits after it.
pub(crate) fn decode(text: &str, plus_is_space: bool) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).ok()
}

fn places(text: &str, separator: char, start: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    text.split(separator).scan(start, move |at, part| {
        let place = *at..*at + part.len();
        *at = place.end + separator.len_utf8();
        Some((part, place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_into_parts_with_their_places() {
        let line = "GET /a/{b}?c={d}&e";
        let parsed = parse(line).unwrap();
        assert_eq!((parsed.method, parsed.path), ("GET", "/a/{b}"));
        assert!(parsed.segments.iter().all(|(text, place)| &line[place.clone()] == *text));
        assert_eq!(
            parsed.query.iter().map(|(key, value, _)| (*key, *value)).collect::<Vec<_>>(),
            [("c", Some("{d}")), ("e", None)]
        );
        assert!(parsed.query.iter().all(|(key, _, place)| line[place.clone()].starts_with(key)));
    }

    #[test]
    fn invalid_lines_are_refused() {
        for line in ["", "GET", "FETCH /", "GET thumbnail", "GET /a b", "GET /a#b"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn decoding_is_strict() {
        assert_eq!(decode("a%20b+c", true).as_deref(), Some("a b c"));
        assert_eq!(decode("a+%C3%A9", false).as_deref(), Some("a+é"));
        for broken in ["%", "%2", "%+1", "%ff"] {
            assert_eq!(decode(broken, true), None, "{broken}");
        }
    }
}
