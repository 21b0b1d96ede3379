//! The part of a request that identifies its client, as users name it.

use std::{fmt, str::FromStr};

/// The part of a request that identifies its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sticky {
    /// The value of this cookie.
    Cookie(String),
    /// The value of this header, whose name is in lower case.
    Header(String),
    /// The client's address, as trusted proxies report it.
    Address,
}

/// The text is not a [`Sticky`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it must be `cookie:NAME`, `header:NAME` or `address`")]
pub struct StickyError;

impl FromStr for Sticky {
    type Err = StickyError;

    fn from_str(text: &str) -> Result<Sticky, StickyError> {
        match text.split_once(':') {
            None if text == "address" => Ok(Sticky::Address),
            // A cookie's name is a token, as a header's is (RFC 6265, section 4.1.1), but it is case-sensitive.
            Some(("cookie", name)) if is_token(name) => Ok(Sticky::Cookie(name.to_owned())),
            Some(("header", name)) if is_token(name) => Ok(Sticky::Header(name.to_ascii_lowercase())),
            _ => Err(StickyError),
        }
    }
}

impl fmt::Display for Sticky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sticky::Cookie(name) => write!(f, "cookie:{name}"),
            Sticky::Header(name) => write!(f, "header:{name}"),
            Sticky::Address => f.write_str("address"),
        }
    }
}

/// Whether a text is a token (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_as_they_are_read_and_other_texts_are_refused() {
        for text in ["cookie:SID", "header:x-user-id", "address"] {
            assert_eq!(text.parse::<Sticky>().map(|sticky| sticky.to_string()), Ok(text.to_owned()));
        }
        assert_eq!("header:X-User-Id".parse(), Ok(Sticky::Header("x-user-id".into())));
        for text in ["", "cookie", "cookie:", "cookie:a b", "cookie:a;b", "header:", "header:a:b", "ip", "Address"] {
            assert_eq!(text.parse::<Sticky>(), Err(StickyError), "{text}");
        }
    }
}
