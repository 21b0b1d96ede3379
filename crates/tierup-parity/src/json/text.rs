//! A JSON string's content, which need not be Unicode: `"\ud800"` is JSON (RFC 8259, section 8.2).

use std::borrow::Cow;
use std::fmt;

/// The content of a JSON string, with its escapes decoded. A lone half of a surrogate pair is stored as three bytes, in
/// the extension of UTF-8 called WTF-8, so that equal texts are equal bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a>(Cow<'a, [u8]>);

impl<'a> Text<'a> {
    /// The bytes must be UTF-8, except for lone surrogates.
    pub(crate) fn from_wtf8(bytes: impl Into<Cow<'a, [u8]>>) -> Text<'a> {
        Text(bytes.into())
    }

    /// UTF-8, except for lone surrogates, which are three bytes each.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The first `bytes` bytes, and the rest of the character that they cut.
    pub(crate) fn start(&self, bytes: usize) -> Text<'_> {
        let is_inside = |at: &usize| self.0.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let end = (bytes.min(self.0.len())..).find(|at| !is_inside(at)).unwrap_or(self.0.len());
        Text(Cow::Borrowed(&self.0[..end]))
    }

    /// The same text, owned.
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Text<'a> {
        Text(Cow::Borrowed(text.as_bytes()))
    }
}

/// The content without quotes, as JSON writes it, with only the necessary escapes.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest: &[u8] = &self.0;
        loop {
            let (valid, surrogate) = split(rest);
            valid.chars().try_for_each(|c| write_char(c, f))?;
            let Some((surrogate, behind)) = surrogate else { return Ok(()) };
            write!(f, "\\u{surrogate:04x}")?;
            rest = behind;
        }
    }
}

/// With quotes.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// Appends half of a surrogate pair, `0xd800..=0xdfff`, as UTF-8 would write such a number.
pub(super) fn push_surrogate(surrogate: u16, bytes: &mut Vec<u8>) {
    let [high, low] = [surrogate >> 6 & 0x3f, surrogate & 0x3f].map(|bits| 0x80 | bits as u8);
    bytes.extend([0xed, high, low]);
}

/// The text up to the first lone surrogate; then that surrogate, and the bytes after it.
fn split(bytes: &[u8]) -> (&str, Option<(u16, &[u8])>) {
    let valid = match std::str::from_utf8(bytes) {
        Ok(all) => return (all, None),
        Err(error) => error.valid_up_to(),
    };
    let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    match bytes[valid..] {
        [0xed, high, low, ..] => {
            let surrogate = 0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f);
            (text, Some((surrogate, &bytes[valid + 3..])))
        }
        _ => (text, None),
    }
}

fn write_char(c: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match c {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        // U+2028 and U+2029 end lines on many terminals and in many viewers.
        c if c.is_control() || ['\u{2028}', '\u{2029}', '\u{feff}'].contains(&c) => {
            write!(f, "\\u{:04x}", u32::from(c))
        }
        c => write!(f, "{c}"),
    }
}
