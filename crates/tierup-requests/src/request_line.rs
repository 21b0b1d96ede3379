//! Reads `GET http://host/path HTTP/1.1`, and the lines that continue its path or query.

use std::ops::Range;

use crate::problems::Problems;
use crate::problems::shortened;
use crate::source::Source;
use crate::text::Text;

#[derive(Debug, Clone)]
pub(crate) struct RequestLine {
    pub(crate) method: String,
    pub(crate) target: Text,
    /// The target as written, on one line.
    pub(crate) written: String,
    /// The first line.
    pub(crate) range: Range<usize>,
}

/// Methods that may be written in any case, as in both editors. Others are recognized by their capitals.
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "PATCH", "OPTIONS", "TRACE"];

/// Removes the request line and its continuation lines from the front of `lines`, which must not be empty. `None` if
/// tierup cannot make that request; `problems` then says why.
pub(crate) fn take(source: &Source, lines: &mut &[Range<usize>], problems: &mut Problems) -> Option<RequestLine> {
    let (first, rest) = lines.split_first()?;
    let continued = rest.iter().take_while(|line| continues(&source.text[(*line).clone()])).count();
    *lines = &rest[continued..];
    let range = trim(source, first);
    let (method, start) = match method(&source.text[range.clone()]) {
        Some(method) => (method.to_owned(), range.start + method.len()),
        None => ("GET".to_owned(), range.start),
    };
    if let Some(refusal) = refused(&method, &source.text[range.clone()]) {
        problems.push(source.problem(refusal.0, &(range.start..range.start + refusal.1)).hint(refusal.2));
        return None;
    }
    let mut target = Text::default();
    let mut written = String::new();
    for line in std::iter::once(&(start..range.end)).chain(&rest[..continued]) {
        let part = without_version(source, trim(source, line));
        written.push_str(&source.text[part.clone()]);
        target.push_line(source, part, problems);
    }
    if written.is_empty() {
        problems.push(
            source.problem("this request has no URL", &range).hint("write `GET /path` or `GET http://host/path`"),
        );
        return None;
    }
    Some(RequestLine { method: method.to_ascii_uppercase(), target, written, range })
}

/// In REST Client, a line that starts with `?` or `&` continues the URL; in JetBrains, an indented line does, even a
/// path.
fn continues(line: &str) -> bool {
    let trimmed = line.trim_start();
    let indented = trimmed.len() < line.len();
    trimmed.starts_with(['?', '&']) || indented && trimmed.starts_with('/') && !trimmed.starts_with("//")
}

fn method(line: &str) -> Option<&str> {
    let word = line.split(char::is_whitespace).next()?;
    let known = METHODS.iter().any(|method| method.eq_ignore_ascii_case(word));
    let capitals =
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-' || byte == b'_');
    (known || capitals).then_some(word)
}

/// For a request that tierup cannot send: the message, the length of the offending part, and a replacement.
fn refused(method: &str, line: &str) -> Option<(String, usize, String)> {
    let word = line.split(char::is_whitespace).next().unwrap_or_default();
    let hint = match (method, word) {
        ("GRAPHQL", _) => "write a POST whose body is `{\"query\": \"…\", \"variables\": {…}}`",
        ("WEBSOCKET" | "GRPC" | "RSOCKET", _) => "tierup sends only HTTP requests; remove this one",
        ("CONNECT" | "connect", _) => "CONNECT is for proxies, not servers; remove this request",
        (_, "curl") => "write the request itself: `GET http://host/path`, then its headers",
        (_, "run" | "import") => "write the request itself here",
        _ => return None,
    };
    Some((format!("`{}` is not supported", shortened(word)), word.len(), hint.to_owned()))
}

fn without_version(source: &Source, range: Range<usize>) -> Range<usize> {
    let text = &source.text[range.clone()];
    match text.rsplit_once(char::is_whitespace) {
        Some((before, version)) if is_version(version) => range.start..range.start + before.trim_end().len(),
        _ => range,
    }
}

/// Whether a word is `HTTP/1.1`, or the first word of `HTTP/2 (Prior Knowledge)`.
fn is_version(word: &str) -> bool {
    word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("HTTP/"))
        && word[5..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The range without white space at its ends.
pub(crate) fn trim(source: &Source, range: &Range<usize>) -> Range<usize> {
    let text = &source.text[range.clone()];
    let start = range.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}
