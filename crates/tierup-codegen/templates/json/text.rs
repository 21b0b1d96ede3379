//! Text in quotes: escapes, and the characters they stand for.

use std::borrow::Cow;

use super::problem::Problem;
use super::reader::Reader;

impl<'a> Reader<'a> {
    /// Text without its quotes, borrowed unless something in it is escaped.
    pub fn string(&mut self, what: &str) -> Result<Cow<'a, str>, Problem> {
        if self.peek() != Some(b'"') {
            return Err(self.clone().expected(what));
        }
        self.advance(1);
        let plain = self.plain()?;
        if self.take(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        while !self.take(b'"') {
            text.push(self.escape()?);
            text.push_str(self.plain()?);
        }
        Ok(Cow::Owned(text))
    }

    /// Characters of a string up to its end or to a backslash.
    fn plain(&mut self) -> Result<&'a str, Problem> {
        let rest = self.rest();
        let count = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
        self.advance(count);
        match rest.as_bytes().get(count) {
            Some(b'"' | b'\\') => Ok(&rest[..count]),
            _ => Err(self.unexpected("a quote that ends the text")),
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        self.take(b'\\');
        let Some(&byte) = self.rest().as_bytes().first() else { return Err(self.unexpected("an escaped character")) };
        let character = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.advance(1);
                return self.unicode();
            }
            _ => return Err(self.unexpected("an escaped character")),
        };
        self.advance(1);
        Ok(character)
    }

    /// The rest of an escape after `\u`: four digits, or a pair of surrogates.
    fn unicode(&mut self) -> Result<char, Problem> {
        let first = self.four_digits()?;
        let mut code = u32::from(first);
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.advance(2);
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                code = 0x1_0000 + ((u32::from(first) - 0xd800) << 10) + (u32::from(second) - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| Problem::new(format!("\\u{first:04x} is half of a pair, not a character")))
    }

    fn four_digits(&mut self) -> Result<u16, Problem> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(code) = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) else {
            return Err(self.unexpected("four hexadecimal digits"));
        };
        self.advance(4);
        Ok(code)
    }
}
