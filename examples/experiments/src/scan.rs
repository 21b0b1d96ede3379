//! Refuses what JSON readers disagree about, before one reads it: depth, halves of characters, numbers without bounds.
//!
//! Readers in Rust, Go and JavaScript stop at different depths, put something else in the place of half a surrogate pair
//! or refuse it, and make an infinity of `1e400` or an error. The same small scan stands before each of them.

use std::{fmt, str};

/// How many lists and objects may be open at a time.
const DEEPEST: usize = 64;

/// Why a body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    NotUtf8,
    TooDeep,
    HalfPair,
    TooLarge,
    NotJson,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotUtf8 => "the body is not UTF-8",
            Self::TooDeep => "the body is nested more than 64 deep",
            Self::HalfPair => "the body has half of a surrogate pair",
            Self::TooLarge => "the body has a number that is too large",
            Self::NotJson => "the body is not JSON",
        })
    }
}

/// The body's text, where no two readers would disagree about it. What is wrong first decides what is said.
pub(crate) fn readable(body: &[u8]) -> Result<&str, Malformed> {
    let text = str::from_utf8(body).map_err(|_| Malformed::NotUtf8)?;
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = body.get(at) {
        match byte {
            b'"' => at = after_string(body, at + 1)?,
            b'-' | b'0'..=b'9' => at = after_number(text, at)?,
            b'[' | b'{' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(Malformed::TooDeep);
                }
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => at += 1,
        }
    }
    Ok(text)
}

/// The place behind the quote that ends a string; whether what stands in it is JSON is for the reader to say.
fn after_string(body: &[u8], mut at: usize) -> Result<usize, Malformed> {
    loop {
        match body.get(at) {
            None => return Ok(at),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => {
                at += match unit(body, at) {
                    Some(0xD800..=0xDBFF) => match unit(body, at + 6) {
                        Some(0xDC00..=0xDFFF) => 12,
                        _ => return Err(Malformed::HalfPair),
                    },
                    Some(0xDC00..=0xDFFF) => return Err(Malformed::HalfPair),
                    Some(_) => 6,
                    None => 2,
                }
            }
            Some(_) => at += 1,
        }
    }
}

/// The UTF-16 unit that `\uXXXX` at this place stands for.
fn unit(body: &[u8], at: usize) -> Option<u32> {
    let digits = body.get(at..at + 6)?.strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

/// The place behind everything that a number could go on with. Nothing but an exponent or 309 digits makes one too large.
fn after_number(text: &str, start: usize) -> Result<usize, Malformed> {
    let part_of_one = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let length = text.as_bytes()[start..].iter().take_while(|byte| part_of_one(byte)).count();
    let number = &text[start..start + length];
    if (length > 300 || number.contains(['e', 'E'])) && number.parse().is_ok_and(f64::is_infinite) {
        return Err(Malformed::TooLarge);
    }
    Ok(start + length)
}
