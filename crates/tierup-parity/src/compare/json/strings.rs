//! Shows two different JSON strings so that the difference is visible.

use super::MOST_OF_CHARACTER;
use crate::difference::{Difference, LONGEST, Place};
use crate::json::Text;

/// How many bytes are shown before the first that differs.
const BEFORE: usize = 40;

/// Long strings are shown from shortly before the first difference. A character that may look like the other one (`é`
/// as one code point or two) is named by its number.
pub(super) fn difference(place: Place, mine: &Text<'_>, theirs: &Text<'_>) -> Difference {
    let at = mine.as_bytes().iter().zip(theirs.as_bytes()).take_while(|(one, other)| one == other).count();
    let at = (0..=at).rev().find(|at| starts_character(mine, *at) && starts_character(theirs, *at)).unwrap_or(0);
    let [my_end, their_end] = [mine, theirs].map(|text| shown(text, at));
    let difference = Difference::new(place, Some(&my_end), Some(&their_end));
    let [my_number, their_number] = [mine, theirs].map(|text| code_point(text, at));
    let is_plain = |number: Option<u32>| number.is_none_or(|number| (0x20..0x7f).contains(&number));
    if is_plain(my_number) && is_plain(their_number) {
        return difference;
    }
    let name = |number: Option<u32>| number.map_or("the end".to_owned(), |number| format!("U+{number:04X}"));
    difference.with_note(format!("{} instead of {}", name(their_number), name(my_number)))
}

fn shown(text: &Text<'_>, at: usize) -> String {
    let from =
        if at > BEFORE { (at - BEFORE..=at).find(|from| starts_character(text, *from)).unwrap_or(at) } else { 0 };
    let cut = if from > 0 { "…" } else { "" };
    let rest = Text::from_wtf8(&text.as_bytes()[from..]);
    format!("{cut}{:?}", rest.start(LONGEST * MOST_OF_CHARACTER))
}

/// In UTF-8, all bytes of a character except the first are `10xxxxxx`; the same holds for lone surrogates here.
fn starts_character(text: &Text<'_>, at: usize) -> bool {
    text.as_bytes().get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

/// The number of the character at `at`; for a lone surrogate, the surrogate's own number.
fn code_point(text: &Text<'_>, at: usize) -> Option<u32> {
    let (first, rest) = text.as_bytes()[at..].split_first()?;
    let length = rest.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
    let lead = match length {
        0 => return Some(u32::from(*first)),
        _ => u32::from(*first) & (0x3f >> length),
    };
    Some(rest[..length].iter().fold(lead, |number, byte| number << 6 | u32::from(byte & 0x3f)))
}
