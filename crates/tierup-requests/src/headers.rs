//! Headers that the sender sets, and those that editors change.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Whether the sender sets this header itself: the length and framing of the body, and headers that concern one hop
/// only (RFC 9110, section 7.6.1).
pub(crate) fn is_the_senders(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "connection", "content-length", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ];
    NAMES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Whether a text can be a header's name, or a method (RFC 9110, section 5.6.2).
pub(crate) fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether a text can be a header's value: no control characters but tabs (RFC 9110, section 5.5).
pub(crate) fn is_value(value: &str) -> bool {
    !value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t')
}

/// The value of a header, if it was written.
pub(crate) fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Encodes `Basic user password` and `Basic user:password` as they are sent, as both editors do (RFC 7617).
///
/// # Errors
/// `Digest`, which needs a challenge from the server first.
pub(crate) fn authorization(value: &str) -> Result<String, &'static str> {
    let mut words = value.split_whitespace();
    let scheme = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    match (scheme.to_ascii_lowercase().as_str(), rest.as_slice()) {
        ("basic", [user, password @ ..]) if !password.is_empty() => {
            Ok(format!("{scheme} {}", BASE64_STANDARD.encode(format!("{user}:{}", password.join(" ")))))
        }
        ("basic", [both]) if both.contains(':') => Ok(format!("{scheme} {}", BASE64_STANDARD.encode(both))),
        ("digest", [_, _]) => Err("`Digest` authentication is not supported"),
        _ => Ok(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_is_encoded_once() {
        // RFC 7617, section 2.
        let encoded = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
        assert_eq!(authorization("Basic Aladdin open sesame"), Ok(encoded.to_owned()));
        assert_eq!(authorization(encoded), Ok(encoded.to_owned()));
        assert_eq!(authorization("Basic a:b"), Ok("Basic YTpi".to_owned()));
        assert_eq!(authorization("Bearer a b"), Ok("Bearer a b".to_owned()));
        assert!(authorization("Digest user password").is_err());
    }
}
