//! Reads a JSON string: its escapes, and halves of surrogate pairs.

use std::ops::Range;

use super::Text;
use super::read::{JsonError, Reader};
use super::text::push_surrogate;

impl<'a> Reader<'a> {
    /// A string, from its first quote on. Borrows if there is no escape.
    pub(super) fn string(&mut self) -> Result<Text<'a>, JsonError> {
        self.at += 1;
        let mut decoded: Option<Vec<u8>> = None;
        loop {
            let plain = self.skip_plain();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    let plain = &self.text[plain];
                    return Ok(match decoded {
                        None => Text::from(plain),
                        Some(mut bytes) => {
                            bytes.extend(plain.as_bytes());
                            Text::from_wtf8(bytes)
                        }
                    });
                }
                Some(b'\\') => {
                    let bytes = decoded.get_or_insert_default();
                    bytes.extend(self.text[plain].as_bytes());
                    self.escape(bytes)?;
                }
                Some(_) => return Err(self.error("a control character within quotes")),
                None => return Err(self.error("no `\"` before the end")),
            }
        }
    }

    /// Skips to the next quote, backslash or control character.
    fn skip_plain(&mut self) -> Range<usize> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len());
        self.at += length;
        start..self.at
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 2;
        bytes.push(match self.text.as_bytes().get(start + 1) {
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(bytes),
            _ => {
                self.at = start;
                return Err(self.error("an escape that JSON does not have"));
            }
        });
        Ok(())
    }

    /// Reads what follows `\u`: one number, or both of a surrogate pair. A lone half is kept as it is.
    fn unicode(&mut self, bytes: &mut Vec<u8>) -> Result<(), JsonError> {
        let first = self.hexadecimal()?;
        let before = self.at;
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hexadecimal()?;
            if let Some(Ok(c)) = char::decode_utf16([first, second]).next() {
                bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            self.at = before;
        }
        match char::from_u32(u32::from(first)) {
            Some(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => push_surrogate(first, bytes),
        }
        Ok(())
    }

    fn hexadecimal(&mut self) -> Result<u16, JsonError> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).unwrap_or_default();
        let value = digits.iter().try_fold(0, |value, byte| Some(value << 4 | char::from(*byte).to_digit(16)? as u16));
        match value {
            Some(value) if digits.len() == 4 => {
                self.at += 4;
                Ok(value)
            }
            _ => Err(self.error("`\\u` without four hexadecimal digits")),
        }
    }
}
