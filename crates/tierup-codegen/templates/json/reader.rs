//! The syntax of JSON (RFC 8259), read from the front without a tree in between.
//!
//! Only values of unknown shape are read by recursion, and its depth is limited, so a hostile text costs neither the
//! stack nor memory beyond its own size. `text.rs` reads strings.

use super::keys::Keys;
use super::problem::{Problem, cut, shown};

/// How deep a value may nest where it is only skipped.
const DEEPEST: u32 = 128;

/// A text that is being read from the front.
#[derive(Clone)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    keys: Keys,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, keys: Keys) -> Self {
        Reader { text, at: 0, keys }
    }

    /// A field's name in the style of this text, given the name in both styles.
    pub fn key(&self, snake: &'static str, camel: &'static str) -> &'static str {
        self.keys.name(snake, camel)
    }

    /// Fails unless only white space is left.
    pub fn finish(mut self) -> Result<(), Problem> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end")),
        }
    }

    /// Takes a `null` where there is one.
    pub fn null(&mut self) -> bool {
        self.word("null")
    }

    pub fn boolean(&mut self) -> Result<bool, Problem> {
        match () {
            () if self.word("true") => Ok(true),
            () if self.word("false") => Ok(false),
            () => Err(self.clone().expected("true or false")),
        }
    }

    /// A number as it is written.
    pub fn number(&mut self, what: &str) -> Result<&'a str, Problem> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.digits(),
            _ => Err(self.clone().expected(what)),
        }
    }

    /// Calls `item` for each item of a list; it must read one value.
    pub fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<(), Problem>) -> Result<(), Problem> {
        self.open_list()?;
        let mut index = 0;
        while self.next_item(index)? {
            item(self).map_err(|problem| problem.in_item(index))?;
            index += 1;
        }
        Ok(())
    }

    /// Goes into a list.
    pub fn open_list(&mut self) -> Result<(), Problem> {
        if self.peek() != Some(b'[') {
            return Err(self.clone().expected("a list"));
        }
        self.at += 1;
        Ok(())
    }

    /// Goes to a list's item with this index. Returns `false` after the last item, and closes the list.
    pub fn next_item(&mut self, index: usize) -> Result<bool, Problem> {
        self.next(index, b']')
    }

    /// Calls `entry` with each key of an object; it must read one value.
    pub fn object(&mut self, mut entry: impl FnMut(&mut Self, &str) -> Result<(), Problem>) -> Result<(), Problem> {
        if self.peek() != Some(b'{') {
            return Err(self.clone().expected("an object"));
        }
        self.at += 1;
        let mut index = 0;
        while self.next(index, b'}')? {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string("a key")?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            entry(self, &key)?;
            index += 1;
        }
        Ok(())
    }

    /// A problem that says what was found, and that `what` was expected.
    pub fn expected(mut self, what: &str) -> Problem {
        let found = match self.peek() {
            Some(b'"') => self.string("").map(|text| shown(&text)),
            Some(b'-' | b'0'..=b'9') => self.digits().map(|number| cut(number).into_owned()),
            Some(b'[') => Ok("a list".to_owned()),
            Some(b'{') => Ok("an object".to_owned()),
            _ => match ["null", "true", "false"].into_iter().find(|word| self.rest().starts_with(word)) {
                Some(word) => Ok(word.to_owned()),
                None => return self.unexpected(what),
            },
        };
        // If the value found is itself malformed, that syntax error is reported.
        found.map_or_else(|problem| problem, |found| Problem::new(format!("expected {what}, not {found}")))
    }

    /// A problem of syntax, with its place.
    pub(super) fn unexpected(&mut self, what: &str) -> Problem {
        let found = match self.rest().chars().next() {
            Some(character) => shown(&character.to_string()),
            None => "the end".to_owned(),
        };
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Problem::new(format!("expected {what}, not {found}, at line {line}, column {column}"))
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips bytes that were looked at.
    pub(super) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    /// The next byte that is no white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Takes this very byte, which must be ASCII, if it comes next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let there = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Goes to the next item or entry, over the comma. Returns `false` after the last one.
    fn next(&mut self, index: usize, close: u8) -> Result<bool, Problem> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if index > 0 => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if index == 0 => Ok(true),
            _ => Err(self.unexpected(&format!("`,` or `{}`", char::from(close)))),
        }
    }

    /// A number by JSON's grammar, which is narrower than Rust's.
    fn digits(&mut self) -> Result<&'a str, Problem> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.some_digits()?;
        }
        if self.take(b'.') {
            self.some_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.some_digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn some_digits(&mut self) -> Result<(), Problem> {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        if count == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    /// Skips one value of any shape.
    pub fn skip(&mut self) -> Result<(), Problem> {
        self.skip_within(DEEPEST)
    }

    fn skip_within(&mut self, depth: u32) -> Result<(), Problem> {
        if depth == 0 {
            return Err(Problem::new("nested too deeply"));
        }
        match self.peek() {
            Some(b'{') => self.object(|from, _| from.skip_within(depth - 1)),
            Some(b'[') => self.list(|from| from.skip_within(depth - 1)),
            Some(b'"') => self.string("").map(drop),
            Some(b't' | b'f') => self.boolean().map(drop),
            Some(b'n') if self.null() => Ok(()),
            _ => self.number("a value").map(drop),
        }
    }
}
