//! Decodes the escapes in a text: those of URLs (`%2F`), JSON (`\u00e9`, `\/`) and HTML (`&amp;`).
//!
//! Encoders differ in which characters they escape, so secrets are looked for in the decoded text. Each of its
//! positions maps back to a position in the original.

use std::borrow::Cow;

/// What the escapes of URLs, of JSON and of HTML begin with.
const KINDS: &[u8] = b"%\\&";
/// The most meanings of a text that are looked for.
const MOST_MEANINGS: usize = 16;
/// How many rounds of escapes are decoded. A text may be escaped several times: a URL in JSON in a report.
const MOST: usize = 4;
const ENTITIES: [(&[u8], u8); 5] =
    [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
/// The most digits of a character reference; a longer number is not one.
const LONGEST_NUMBER: usize = 7;

/// A text after some rounds of decoding.
pub(super) struct Reading<'t> {
    pub(super) bytes: Cow<'t, [u8]>,
    /// One entry for each round of decoding.
    rounds: Vec<Shifts>,
}

/// Positions in the output of one round, each with its position in the round's input. Between two entries, output and
/// input advance byte by byte.
type Shifts = Vec<(usize, usize)>;

impl Reading<'_> {
    /// The position in the original text of the byte at `at`.
    pub(super) fn source(&self, at: usize) -> usize {
        self.rounds.iter().rev().fold(at, |at, shifts| {
            let before = shifts.partition_point(|(out, _)| *out <= at);
            before.checked_sub(1).map_or(at, |known| shifts[known].1 + (at - shifts[known].0))
        })
    }
}

/// The text itself, then the results of decoding it, round by round, until no escape is left or [`MOST`] is reached.
pub(super) fn readings(text: &[u8]) -> impl Iterator<Item = Reading<'_>> {
    let first = Reading { bytes: Cow::Borrowed(text), rounds: Vec::new() };
    std::iter::successors(Some(first), |last| {
        let (bytes, shifts) = unescaped(&last.bytes, KINDS).filter(|_| last.rounds.len() < MOST)?;
        let rounds = last.rounds.iter().cloned().chain([shifts]).collect();
        Some(Reading { bytes: Cow::Owned(bytes), rounds })
    })
}

/// What the text may stand for if only some kinds of its escapes are escapes: a password in JSON may contain `%31`.
pub(super) fn meanings(text: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![text.to_vec()];
    let mut next = 0;
    while next < all.len() && all.len() < MOST_MEANINGS {
        for kind in KINDS.chunks(1) {
            all.extend(unescaped(&all[next], kind).map(|(bytes, _)| bytes).filter(|bytes| !all.contains(bytes)));
        }
        next += 1;
    }
    all
}

/// Decodes one round of escapes of these kinds. `None` if the text has none.
fn unescaped(text: &[u8], kinds: &[u8]) -> Option<(Vec<u8>, Shifts)> {
    let begins = |byte: &u8| kinds.contains(byte);
    let mut next = text.iter().position(begins)?;
    let (mut out, mut shifts, mut copied) = (Vec::new(), Vec::new(), 0);
    while next < text.len() {
        let mut buffer = [0; 4];
        match escape(&text[next..], &mut buffer) {
            Some((length, meant)) => {
                out.extend_from_slice(&text[copied..next]);
                shifts.push((out.len(), next));
                out.extend_from_slice(&buffer[..meant]);
                (next, copied) = (next + length, next + length);
                shifts.push((out.len(), next));
            }
            None => next += 1,
        }
        next = text[next..].iter().position(begins).map_or(text.len(), |more| next + more);
    }
    out.extend_from_slice(&text[copied..]);
    (!shifts.is_empty()).then_some((out, shifts))
}

/// Decodes an escape at the text's start into `buffer`. Returns its length, and how many bytes it stands for.
fn escape(text: &[u8], buffer: &mut [u8; 4]) -> Option<(usize, usize)> {
    match text {
        [b'%', ..] => {
            buffer[0] = u8::try_from(hexadecimal(text.get(1..3)?)?).ok()?;
            Some((3, 1))
        }
        [b'\\', b'u', ..] => {
            let high = hexadecimal(text.get(2..6)?)?;
            let low = text.get(6..8).filter(|start| *start == b"\\u").and_then(|_| hexadecimal(text.get(8..12)?));
            let pair = low.filter(|low| (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(low));
            let (number, length) =
                pair.map_or((high, 6), |low| (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12));
            Some((length, char::from_u32(number)?.encode_utf8(buffer).len()))
        }
        [b'\\', b'x', ..] => {
            let number = hexadecimal(text.get(2..4)?)?;
            Some((4, char::from_u32(number)?.encode_utf8(buffer).len()))
        }
        [b'\\', character, ..] => {
            buffer[0] = match character {
                b'"' | b'\\' | b'/' | b'\'' => *character,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                _ => return None,
            };
            Some((2, 1))
        }
        [b'&', b'#', ..] => {
            let (length, number) = entity_number(text)?;
            Some((length, char::from_u32(number)?.encode_utf8(buffer).len()))
        }
        [b'&', ..] => {
            let (entity, character) = ENTITIES.iter().find(|(entity, _)| text.starts_with(entity))?;
            buffer[0] = *character;
            Some((entity.len(), 1))
        }
        _ => None,
    }
}

/// The length of `&#43;` or `&#x2b;` at the text's start, and its number. HTML reads it without the `;`, too.
fn entity_number(text: &[u8]) -> Option<(usize, u32)> {
    let (radix, start) = if matches!(text.get(2)?, b'x' | b'X') { (16, 3) } else { (10, 2) };
    let digits = text[start..].iter().take(LONGEST_NUMBER + 1);
    let end = start + digits.take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let digits = str::from_utf8(&text[start..end]).ok().filter(|digits| digits.len() <= LONGEST_NUMBER)?;
    let number = u32::from_str_radix(digits, radix).ok()?;
    match &text[end..] {
        [b';', ..] => Some((end + 1, number)),
        // The text was cut here, so digits may be missing.
        rest if rest.starts_with("…".as_bytes()) => None,
        _ => Some((end, number)),
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let is_hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(str::from_utf8(digits).ok().filter(|_| is_hexadecimal)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> String {
        let last = readings(text.as_bytes()).last().expect("the text itself");
        String::from_utf8(last.bytes.into_owned()).expect("a text")
    }

    #[test]
    fn repeated_escapes_of_urls_json_and_html_are_decoded() {
        for (text, expected) in [
            ("plain", "plain"),
            ("p%22ss%2fword", "p\"ss/word"),
            ("p%2522ss", "p\"ss"),
            ("caf\\u00E9 \\ud83e\\udd80 a\\/b \\\"c\\\"", "café 🦀 a/b \"c\""),
            ("a\\\\u00e9", "aé"),
            ("a &amp;amp; b &#x27;c&#39;", "a & b 'c'"),
            ("a&#43;b &#x2F;&#X2f &#0065b&#65 &amp;#233;&#x1F980;", "a+b // AbA é🦀"),
            ("&#; &#x; &#xg &#00000065; &#55296; &#9…", "&#; &#x; &#xg &#00000065; &#55296; &#9…"),
            ("100 % &c \\q \\ud800 %zz", "100 % &c \\q \\ud800 %zz"),
        ] {
            assert_eq!(last(text), expected);
        }
    }

    #[test]
    fn each_position_maps_back_to_the_original_text() {
        let text = "é=%2522&amp;\\u00e9&#x1f980;x%";
        for reading in readings(text.as_bytes()) {
            assert_eq!(reading.source(0), 0);
            assert_eq!(reading.source(reading.bytes.len()), text.len());
            let at = reading.bytes.iter().position(|byte| *byte == b'x').expect("it is there");
            assert_eq!(text.as_bytes()[reading.source(at)], b'x');
            let equal = reading.bytes.iter().position(|byte| *byte == b'=').expect("it is there");
            assert_eq!(reading.source(equal + 1), 3);
        }
    }
}
