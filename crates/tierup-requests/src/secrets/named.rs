//! Finds values by the names beside them, in queries, forms, multipart bodies and other texts.
//!
//! In: a text, and which names count. Out: the values, as written and decoded. JSON is scanned as a text; a caller that
//! parses it finds more.

use std::borrow::Cow;

use crate::target::percent_decode;

/// The characters that end a value without quotes.
const ENDS: &[u8] = b"&;, \t\r\n\"'<>(){}[]|\\?#";
/// A name and its value may be the values of two keys: `"name": "password", "value": "…"`.
const ANNOUNCES: [&str; 4] = ["name", "key", "id", "type"];
const ANNOUNCED: [&str; 2] = ["value", "content"];
/// Words before the credential of an `Authorization` header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "digest", "token", "apikey"];
/// Longer names are not treated as secrets.
const LONGEST_NAME: usize = 200;
/// The longest boundary of a multipart body, including the `--` before it (RFC 2046, section 5.1.1). A longer boundary
/// is recognized by its start.
const LONGEST_BOUNDARY: usize = 72;
/// The search ends once the values found have this many bytes together.
pub const MOST_NAMED: usize = 32 << 10;

/// The values in a text whose names satisfy `is_wanted`. If they have [`MOST_NAMED`] bytes or more, there may be
/// further ones.
pub fn named_values(text: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let is_wanted = |name: &str| is_wanted(&percent_decode(name));
    let mut found = in_multipart(text, &is_wanted);
    let text = String::from_utf8_lossy(text);
    // In a form, only `&` ends a value; in other texts, further characters do.
    if !text.contains(|character: char| character.is_whitespace() || character.is_control()) {
        found.extend(in_query(&text, &is_wanted));
    }
    scan(&text, &is_wanted, &mut found);
    let meant: Vec<String> = found.iter().filter_map(|value| meant(value)).collect();
    found.extend(meant);
    found
}

/// The decoded value of a query or a form (`application/x-www-form-urlencoded`); `None` if decoding changes nothing.
fn meant(value: &str) -> Option<String> {
    match percent_decode(&value.replace('+', " ")) {
        Cow::Borrowed(meant) if meant == value => None,
        meant => Some(meant.into_owned()).filter(|meant| meant != value),
    }
}

/// The values of a query, or of a form, as written.
fn in_query(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    // The first name may follow a path.
    let name = |name: &str| is_wanted(name.rsplit(['?', '#', ';', '/']).next().unwrap_or_default());
    pairs.filter(|(text, _)| name(text)).map(|(_, value)| value.to_owned()).filter(|value| !value.is_empty()).collect()
}

/// The parts of a `multipart/form-data` body whose names satisfy `is_wanted` (RFC 7578). The first line is the
/// boundary: no client writes anything before it.
fn in_multipart(body: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let Some(line) = body.strip_prefix(b"--").and_then(|_| body.split(|byte| *byte == b'\n').next()) else {
        return Vec::new();
    };
    let boundary = line.trim_ascii_end();
    let boundary = &boundary[..boundary.len().min(LONGEST_BOUNDARY)];
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(begin) = position(rest, boundary) {
        rest = &rest[begin + boundary.len()..];
        let part = &rest[..position(rest, boundary).unwrap_or(rest.len())];
        let (head, value) = match (position(part, b"\r\n\r\n"), position(part, b"\n\n")) {
            (Some(end), _) => (&part[..end], &part[end + 4..]),
            (None, Some(end)) => (&part[..end], &part[end + 2..]),
            (None, None) => continue,
        };
        let head = String::from_utf8_lossy(head);
        let name = head.split(';').filter_map(|parameter| parameter.trim().split_once('='));
        let name = name.filter(|(name, _)| name.eq_ignore_ascii_case("name"));
        let is_named = name.map(|(_, name)| name.lines().next().unwrap_or_default().trim().trim_matches('"'));
        if is_named.into_iter().any(is_wanted) {
            let value = String::from_utf8_lossy(value);
            found.push(value.trim_end_matches("\r\n").trim_end_matches('\n').to_owned());
        }
    }
    found
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}

/// Finds `name=value`, `name: value`, `"name": "value"` and `<name>value</name>`.
fn scan(text: &str, is_wanted: &dyn Fn(&str) -> bool, found: &mut Vec<String>) {
    let bytes = text.as_bytes();
    let (mut is_announced, mut known) = (false, found.iter().map(String::len).sum::<usize>());
    let mut add = |value: &str| {
        known += value.len();
        found.extend(Some(value.to_owned()).filter(|value| !value.is_empty()));
        known < MOST_NAMED
    };
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| b"=:>".contains(byte)) {
        let name = name_before(text, at);
        let is_own = !name.is_empty() && is_wanted(name);
        let announced = is_announced && ANNOUNCED.iter().any(|known| name.eq_ignore_ascii_case(known));
        let announces = ANNOUNCES.iter().any(|known| name.eq_ignore_ascii_case(known));
        if !is_own && !announced && !announces {
            continue;
        }
        // The value of `key` and the like is a name. It is read up to a name's length only, as bodies may be full of
        // them.
        let most = if is_own || announced { 2 * MOST_NAMED } else { LONGEST_NAME };
        let (value, end) = value_at(text, at + 1, most);
        if announces {
            is_announced |= is_wanted(value);
        }
        if is_own || announced {
            is_announced &= !announced;
            let is_scheme = SCHEMES.iter().any(|scheme| value.eq_ignore_ascii_case(scheme));
            let has_room = add(value) && (!is_scheme || add(value_at(text, end, most).0));
            if !has_room {
                return;
            }
        }
    }
}

/// The name that ends at `end`; quotes and spaces may stand between.
fn name_before(text: &str, end: usize) -> &str {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.[]%".contains(&byte) || !byte.is_ascii();
    let bytes = text.as_bytes();
    let last = bytes[..end].iter().rposition(|byte| !b" \"'\\".contains(byte));
    let Some(last) = last.filter(|last| is_name(bytes[*last])) else { return "" };
    let least = last.saturating_sub(LONGEST_NAME);
    let before = bytes[least..last].iter().rposition(|byte| !is_name(*byte));
    text.get(before.map_or(least, |before| least + before + 1)..=last).unwrap_or_default()
}

/// The value that begins at `start`, after spaces, and its end. Of a value longer than `most` bytes, the start.
fn value_at(text: &str, start: usize, most: usize) -> (&str, usize) {
    let text = &text[..text.floor_char_boundary(start + most)];
    let bytes = text.as_bytes();
    let from = start + bytes[start..].iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
    let escapes = bytes[from..].iter().take_while(|byte| **byte == b'\\').count();
    let Some(quote) = bytes.get(from + escapes).filter(|byte| b"\"'".contains(byte)) else {
        let end = bytes[from..].iter().position(|byte| ENDS.contains(byte)).map_or(bytes.len(), |end| from + end);
        return (text.get(from..end).unwrap_or_default(), end);
    };
    // In a quoted text, each inner quote follows backslashes; the next quote with as many of them ends the value.
    let from = from + escapes + 1;
    let mut before = 0;
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        if byte == quote && before == escapes {
            return (text.get(from..at - escapes).unwrap_or_default(), at);
        }
        before = if *byte == b'\\' { before + 1 } else { 0 };
    }
    (text.get(from..).unwrap_or_default(), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_credential;

    fn found(text: &str) -> Vec<String> {
        let mut found = named_values(text.as_bytes(), &is_credential);
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn values_are_found_by_the_names_beside_them() {
        for (text, expected) in [
            ("user=ann&password=p%22ss+word&page=2", &["p\"ss word", "p%22ss+word"][..]),
            ("/next?api%5Fkey=abcd-1,2;3&x=1", &["abcd-1", "abcd-1,2;3"]),
            ("https://shop/cb#access_token=abcd&state=1", &["abcd"]),
            ("/a;jsessionid=abcd?b=c", &["abcd", "abcd?b=c"]),
            ("{\"password\": \"p\\\"ss\", \"page\": 2}", &["p\\\"ss"]),
            ("{\\\"token\\\": \\\"abcd\\\"}", &["abcd"]),
            ("token: abcd\npage: 2\n", &["abcd"]),
            ("<a><token>abcd</token></a>", &["abcd"]),
            ("authorization: Bearer abcd", &["Bearer", "abcd"]),
            ("<input name=\"csrf_token\" value='abcd'> <input name=\"page\" value='2'>", &["abcd"]),
            ("[{\"name\":\"password\",\"value\":\"abcd\"},{\"name\":\"page\",\"value\":\"2\"}]", &["abcd"]),
            ("user[otp]=abcd&login.pwd=efgh&user%3Ajwt=ijkl", &["abcd", "efgh", "ijkl"]),
            ("the page=2 of 3: it is > 1", &[]),
            ("token", &[]),
            ("token=", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn values_of_a_multipart_body_are_found_by_the_names_before_them() {
        let body = "--xYz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n\u{0}--x\r\n\
                    --xYz\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"user[password]\"\r\n\r\n\
                    two\r\nlines\r\n--xYz--\r\n";
        assert_eq!(found(body), ["two\r\nlines"]);
        // A boundary that is too long is recognized by its start.
        assert_eq!(found(&body.replace("--xYz", &format!("--{}", "xYz".repeat(100)))), ["two\r\nlines"]);
        assert!(found("--").is_empty() && found("--x\r\n--x--").is_empty());
    }

    #[test]
    fn announced_names_are_limited_in_length_like_other_names() {
        let announces = |spaces: usize| format!("name=\"{}password\" value=\"abcd\"", "x".repeat(spaces));
        assert_eq!(found(&announces(0)), ["abcd"]);
        assert!(found(&announces(LONGEST_NAME)).is_empty());
        // Each of these names is followed by the rest of the text as its value: without a limit, that takes quadratic
        // time.
        let text = "key:".repeat(1 << 16);
        let read = std::cell::Cell::new(0);
        let is_wanted = |name: &str| {
            read.set(read.get() + name.len());
            false
        };
        assert!(named_values(text.as_bytes(), &is_wanted).is_empty());
        assert!(read.get() < 60 * text.len(), "{}", read.get());
    }
}
