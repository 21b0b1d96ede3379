//! Names of JSON members that identify something or somebody.
//!
//! In: a name. Out: whether it looks like data rather than like a programmer's name.

use tierup_requests::is_identifier;

/// Programmers write no longer words into paths, so a longer one is data.
const LONGEST: usize = 40;
/// A shorter word of letters may be an abbreviation.
const SHORTEST_RANDOM: usize = 12;
/// No word of a language has so many consonants in a row.
const CONSONANTS: usize = 7;

/// Whether the name of a member is data.
pub(crate) fn is_data(name: &str) -> bool {
    is_random(name) || (is_identifier(name) && !is_numbered(name))
}

/// Such as `shipping_address_line1`.
fn is_numbered(name: &str) -> bool {
    let words = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_hexadecimal = words.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_of_letters = words.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    name.len() <= LONGEST && name.len() - words.len() <= 2 && is_of_letters && !is_hexadecimal
}

/// Whether letters have no order that a name has: upper and lower case alternate all the time, or there are no vowels.
pub(crate) fn is_random(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < SHORTEST_RANDOM || bytes.contains(&b'_') || bytes.contains(&b'-') {
        return false;
    }
    let changes = bytes.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    let is_consonant = |byte: &u8| byte.is_ascii_alphabetic() && !b"aeiouyAEIOUY".contains(byte);
    let consonants = bytes.chunk_by(|one, other| is_consonant(one) == is_consonant(other));
    let longest = consonants.filter(|run| is_consonant(&run[0])).map(<[u8]>::len).max().unwrap_or_default();
    2 * changes > bytes.len() || longest >= CONSONANTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_programmers_write_are_not_data() {
        for name in [
            "id", "items", "createdAt", "shipping_address_line1", "numberOfItemsInTheBox", "maximumRetryCount",
            "HTTPStatusCode", "lengthscale", "thumbnail2x", "access_token_expires_in_seconds",
        ] {
            assert!(!is_data(name), "{name}");
        }
        for word in ["17", "deadbeef0", "eyJhbGciOiJIUzI1NiJ9", "alice@example.org", "2026-11-23"] {
            assert!(is_data(word), "{word}");
        }
        for word in ["sKdJfhGqPzLmWx", "xkcdqwrtplmn"] {
            assert!(is_data(word), "{word}");
        }
    }
}
