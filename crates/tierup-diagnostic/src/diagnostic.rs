//! Errors in a user's text: what is wrong, where, and what to write instead.

use std::fmt;
use std::ops::Range;

/// One problem in a text. `Display` is its plain form; a renderer with colours reads [`Diagnostic::place`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// The place at fault. `None` if the fault is in no source text, such as an `export` of a name that does not exist.
    pub place: Option<Place>,
    /// A few words to print beside the caret.
    pub label: Option<String>,
    /// What to write instead.
    pub hint: Option<String>,
    /// The index of the `export` entry at fault, if [`Diagnostic::place`] is `None`. A caller who knows where the entry
    /// is written can set a place there with [`Place::new`].
    pub export: Option<usize>,
}

/// A part of one line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user knows it, e.g. `src/lib.rs`.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// In characters, at least 1. The part ends with its line.
    pub length: usize,
    /// The whole line, without its end.
    pub source_line: String,
    /// The same part in bytes of `source_line`. Empty if the fault is at the end of the line.
    pub range: Range<usize>,
}

impl Diagnostic {
    /// A problem with no place yet.
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), place: None, label: None, hint: None, export: None }
    }

    /// Sets the place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Sets the words beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets what to write instead.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the `export` entry at fault.
    pub fn export(mut self, index: usize) -> Self {
        self.export = Some(index);
        self
    }
}

impl Place {
    /// The place of a byte range of `text`, the whole content of `file`. If an end of the range lies beyond the text or
    /// inside a character, it moves back to the nearest valid position.
    pub fn new(file: impl Into<String>, text: &str, range: Range<usize>) -> Self {
        let start = floor_char_boundary(text, range.start);
        let end = floor_char_boundary(text, range.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let source_line = text[line_start..line_end].trim_end_matches('\r');
        let start = (start - line_start).min(source_line.len());
        let end = (end - line_start).min(source_line.len());
        Place {
            file: file.into(),
            line: text[..line_start].matches('\n').count() + 1,
            column: source_line[..start].chars().count() + 1,
            length: source_line[start..end].chars().count().max(1),
            source_line: source_line.to_string(),
            range: start..end,
        }
    }
}

fn floor_char_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(place) = &self.place {
            place.write(f, self.label.as_deref())?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl Place {
    fn write(&self, f: &mut fmt::Formatter<'_>, label: Option<&str>) -> fmt::Result {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        // The caret's line keeps the tabs, so that the caret is in the right column at every tab width.
        let indent: String =
            self.source_line[..self.range.start].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "\n{gutter}--> {}:{}:{}", self.file, self.line, self.column)?;
        write!(f, "\n{gutter} |\n{number} | {}", self.source_line)?;
        write!(f, "\n{gutter} | {indent}{}", "^".repeat(self.length))?;
        match label {
            Some(label) => write!(f, " {label}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, part: &str, expect: Expect) {
        let start = text.find(part).unwrap();
        let place = Place::new("src/lib.rs", text, start..start + part.len());
        let diagnostic = Diagnostic::new("`Rc<u8>` cannot cross").at(place).label("shared").hint("own it");
        expect.assert_eq(&diagnostic.to_string());
    }

    #[test]
    fn the_caret_counts_characters() {
        check(
            "one\r\n\tfn é(x: Rc<u8>)\r\nthree",
            "Rc<u8>",
            expect![[r#"
            error: `Rc<u8>` cannot cross
             --> src/lib.rs:2:10
              |
            2 | 	fn é(x: Rc<u8>)
              | 	        ^^^^^^ shared
            hint: own it"#]],
        );
        check(
            "a(\nb",
            "(\nb",
            expect![[r#"
            error: `Rc<u8>` cannot cross
             --> src/lib.rs:1:2
              |
            1 | a(
              |  ^ shared
            hint: own it"#]],
        );
    }

    #[test]
    fn a_range_outside_the_text_is_moved_into_it() {
        let place = Place::new("a", "é", 1..9);
        assert_eq!((place.line, place.column, place.length, place.range), (1, 1, 1, 0..2));
        let place = Place::new("a", "x\n", 9..12);
        assert_eq!((place.line, place.column, place.length, place.range), (2, 1, 1, 0..0));
    }
}
