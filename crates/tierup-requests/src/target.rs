//! Splits a URL into the server's name and the request target.

use std::borrow::Cow;

use crate::problems::shortened;

/// The parts of a URL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// `None` if the URL is only a path.
    pub(crate) host: Option<String>,
    /// Origin form, or `*`.
    pub(crate) target: String,
}

/// Why a text is not a URL that can be sent, and what to write instead.
pub(crate) type Refusal = (String, &'static str);

/// Reads an absolute URL, one without a scheme (`localhost:3000/a`, as JetBrains allows), a path, or `*`.
pub(crate) fn read(url: &str) -> Result<Target, Refusal> {
    let url = url.trim();
    if url == "*" {
        return Ok(Target { host: None, target: "*".to_owned() });
    }
    if url.starts_with('/') {
        return Ok(Target { host: None, target: origin_form(url) });
    }
    let scheme_end = url
        .find("://")
        .filter(|end| url[..*end].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)));
    let rest = match scheme_end.map(|end| (&url[..end], &url[end + 3..])) {
        Some((scheme, rest)) if ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) => rest,
        Some((scheme, _)) => {
            return Err((
                format!("tierup cannot send `{}://` requests", shortened(scheme)),
                "write `http://` or `https://`",
            ));
        }
        None => url,
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let is_host = authority == "localhost" || authority.contains(['.', ':']) || authority.starts_with('[');
    if scheme_end.is_none() && !is_host {
        return Err(("this is neither a path nor a URL".to_owned(), "write `/path`, or `http://host/path`"));
    }
    check_authority(authority)?;
    Ok(Target { host: Some(authority.to_owned()), target: origin_form(path) })
}

fn check_authority(authority: &str) -> Result<(), Refusal> {
    if authority.contains('@') {
        return Err((
            "a name and password in a URL are not sent".to_owned(),
            "write a header `Authorization: Basic name password`",
        ));
    }
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:[]%".contains(&byte);
    if authority.is_empty() || authority.starts_with(':') || !authority.bytes().all(is_valid) {
        return Err((
            format!("`{}` is not the name of a server", shortened(authority)),
            "write `http://host:port/path`",
        ));
    }
    let port = match authority.rsplit_once(']') {
        Some((_, port)) => port.strip_prefix(':'),
        None => authority.split_once(':').map(|(_, port)| port),
    };
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err((
            format!("`{}` has no valid port", shortened(authority)),
            "write a port from 1 to 65535, or leave it out",
        ));
    }
    Ok(())
}

/// The path and query without the fragment, which is not sent to servers.
fn origin_form(path: &str) -> String {
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    let path = percent_encode(path);
    if path.starts_with('/') { path } else { format!("/{path}") }
}

/// Encodes characters that a URL may not contain (RFC 3986, section 2: all but visible ASCII, and `"<>`{}`), as editors
/// do. A `%` is kept even if it encodes nothing: a test may want a broken encoding.
pub(crate) fn percent_encode(text: &str) -> String {
    let stays = |byte: u8| (0x21..=0x7e).contains(&byte) && !b"\"<>`{}".contains(&byte);
    encode(text, stays)
}

/// Encodes all but the unreserved characters (RFC 3986, section 2.3), and `!'()*`, as `encodeURIComponent` does.
pub(crate) fn percent_encode_component(text: &str) -> String {
    encode(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~!'()*".contains(&byte))
}

/// Decodes percent-encoding. A `%` that encodes nothing stays. A text that would not decode to UTF-8 is unchanged.
pub(crate) fn percent_decode(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let byte = digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn encode(text: &str, stays: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if stays(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, host: Option<&str>, target: &str) {
        assert_eq!(read(url), Ok(Target { host: host.map(str::to_owned), target: target.to_owned() }));
    }

    #[test]
    fn urls() {
        check("http://127.0.0.1:3000/a?b=c", Some("127.0.0.1:3000"), "/a?b=c");
        check("HTTPS://example.org", Some("example.org"), "/");
        check("http://[::1]:80?q", Some("[::1]:80"), "/?q");
        check("localhost:3000/x", Some("localhost:3000"), "/x");
        check("/a?url=http://b/", None, "/a?url=http://b/");
        check("//double", None, "//double");
        check("*", None, "*");
    }

    #[test]
    fn only_forbidden_characters_are_encoded() {
        check("/ü b\t{x}\"|^\\", None, "/%C3%BC%20b%09%7Bx%7D%22|^\\");
        check("/100%?a=%20&b=%zz+'#end", None, "/100%?a=%20&b=%zz+'");
    }

    #[test]
    fn texts_that_are_not_urls_are_refused() {
        for url in
            ["", "path", "ftp://a/", "http://", "http:///a", "http://a b/", "http://u:p@h/", "http://a:b/", "http://ü/"]
        {
            assert!(read(url).is_err(), "{url}");
        }
    }
}
