//! Reads JSON, strictly by RFC 8259.
//!
//! In: bytes. Out: a [`Json`], or where and why the bytes are not JSON.

use std::vec;

use super::{DEEPEST, Json, Kind, Member, size::size};

/// The most values for which memory is reserved before they are read. A body of 2 MiB, the most that a shadow compares,
/// has no more.
const MOST_RESERVED: usize = 1 << 20;

/// Why bytes cannot be read as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct JsonError {
    pub what: String,
    /// From 0.
    pub at: usize,
}

/// Reads one value that takes up all of `bytes`, except for the space around it.
///
/// # Errors
/// If the bytes are not UTF-8, are not JSON, or nest deeper than [`DEEPEST`]. A byte order mark is an error too: RFC
/// 8259, section 8.1, forbids sending it, and readers differ about it.
pub fn read(bytes: &[u8]) -> Result<Json<'_>, JsonError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(JsonError { what: "not UTF-8".to_owned(), at: error.valid_up_to() }),
    };
    let mut reader = Reader { text, at: 0, sizes: size(bytes).values.into_iter() };
    if text.starts_with('\u{feff}') {
        return Err(reader.error("a byte order mark"));
    }
    reader.skip_space();
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() { Err(reader.unexpected("the end")) } else { Ok(value) }
}

/// The input, and the current position in it.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// The number of values of each array and object that has not begun yet.
    sizes: vec::IntoIter<u32>,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Json<'a>, JsonError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth == DEEPEST => {
                return Err(self.error(&format!("nested deeper than {DEEPEST} levels")));
            }
            Some(b'{') => self.object(depth + 1)?,
            Some(b'[') => self.array(depth + 1)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.number()?),
            _ => self.word()?,
        };
        Ok(Json { kind, range: start..self.at })
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'a>, JsonError> {
        let mut members = self.room();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string()?;
            let key_range = start..self.at;
            self.skip_space();
            self.expect(b':', "`:`")?;
            self.skip_space();
            members.push(Member { key, key_range, value: self.value(depth)? });
            self.skip_space();
            if self.take(b'}') {
                return Ok(Kind::Object(members));
            }
            self.expect(b',', "`,` or `}`")?;
            self.skip_space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind<'a>, JsonError> {
        let mut items = self.room();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(Kind::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Kind::Array(items));
            }
            self.expect(b',', "`,` or `]`")?;
            self.skip_space();
        }
    }

    /// A list for the values of the array or object that begins here. It is allocated in full, as a growing list takes
    /// up to three times the memory, but for [`MOST_RESERVED`] values at most: a text such as `[,,,` announces values
    /// and has none.
    fn room<T>(&mut self) -> Vec<T> {
        Vec::with_capacity(self.sizes.next().map_or(0, |values| (values as usize).min(MOST_RESERVED)))
    }

    fn number(&mut self) -> Result<&'a str, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self) -> Result<Kind<'a>, JsonError> {
        let words = [("null", Kind::Null), ("true", Kind::Bool(true)), ("false", Kind::Bool(false))];
        for (word, kind) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, wanted: &str) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &str) -> JsonError {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => self.error(&format!("{c:?} instead of {wanted}")),
            None => self.error(&format!("the end instead of {wanted}")),
        }
    }

    pub(super) fn error(&self, what: &str) -> JsonError {
        JsonError { what: what.to_owned(), at: self.at }
    }
}
