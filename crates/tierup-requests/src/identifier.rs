//! Recognizes the parts of a path that identify something or somebody.

/// Words that programmers write into paths are no longer than this; longer ones are data.
const LONGEST: usize = 40;
/// The part of a path that follows one of these words may be a token that grants access, even if it looks like a word.
const BEFORE_TOKENS: [&str; 10] =
    ["activate", "code", "confirm", "invitation", "invite", "magic", "reset", "token", "unsubscribe", "verify"];
/// Shorter parts are not tokens but words such as `new`.
const SHORTEST_TOKEN: usize = 8;

/// Whether a word looks like data rather than like something that a programmer wrote: a number, a UUID, a hash, a
/// token, an email address.
pub fn is_identifier(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let all = |is: fn(&u8) -> bool| !word.is_empty() && word.as_bytes().iter().all(is);
    all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b','))
        || (has_digit && word.len() >= 8 && all(|byte| byte.is_ascii_hexdigit() || *byte == b'-'))
        || (has_digit && word.len() >= 16)
        || word.len() > LONGEST
        || word.contains(['@', '%', '='])
}

/// Whether a part of a path may grant access, judged by the part before it: `/reset/…`, `/invite/…`.
pub fn may_let_in(before: &str, part: &str) -> bool {
    part.len() >= SHORTEST_TOKEN && BEFORE_TOKENS.iter().any(|word| before.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_distinguished_from_names() {
        for word in ["17", "deadbeef0", "eyJhbGciOiJIUzI1NiJ9", "alice@example.org", "2026-11-23"] {
            assert!(is_identifier(word), "{word}");
        }
        for name in ["v2", "users", "shipping_address", "index.html", ""] {
            assert!(!is_identifier(name), "{name}");
        }
    }

    #[test]
    fn the_end_of_a_mailed_link_may_grant_access() {
        assert!(may_let_in("Reset", "abcdefghijklmnop") && may_let_in("invite", "wxyzabcd"));
        assert!(!may_let_in("reset", "new") && !may_let_in("users", "abcdefghijklmnop"));
    }
}
