//! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.

use std::fmt;

/// Makes a text fit for a URL: its letters and digits in lower case, and one `-` for whatever stands between them.
///
/// # Errors
/// Where the text has no ASCII letter and no digit.
pub fn slugify(text: &str) -> Result<String, SlugError> {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if slug.ends_with('-') {
        slug.pop();
    }
    if slug.is_empty() { Err(SlugError) } else { Ok(slug) }
}

/// There was nothing to make a slug of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlugError;

impl fmt::Display for SlugError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text has no letters or digits")
    }
}

impl std::error::Error for SlugError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_stay_and_the_rest_becomes_one_dash() {
        assert_eq!(slugify("Hello, World!").as_deref(), Ok("hello-world"));
        assert_eq!(slugify("  Tier 3 -- native  ").as_deref(), Ok("tier-3-native"));
        assert_eq!(slugify("Café").as_deref(), Ok("caf"));
    }

    #[test]
    fn a_text_without_them_is_an_error() {
        assert_eq!(slugify("!?"), Err(SlugError));
        assert_eq!(slugify(""), Err(SlugError));
    }
}
