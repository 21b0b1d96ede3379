//! Why a text is not the value that was expected, and where in it.

use std::borrow::Cow;
use std::fmt;

use super::write::write_text;

/// A problem and its path. The path is put together only when an error returns, so valid JSON pays nothing for it.
#[derive(Debug)]
pub struct Problem(Box<Inner>);

/// The most steps of a path that are shown.
const LONGEST_WAY: usize = 8;

#[derive(Debug)]
struct Inner {
    /// Innermost first.
    way: Vec<Step>,
    message: String,
}

#[derive(Debug)]
enum Step {
    Field(&'static str),
    Item(usize),
    Key(String),
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Self {
        Problem(Box::new(Inner { way: Vec::new(), message: message.into() }))
    }

    /// A record has no field of this name, an enum no case.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let known: Vec<_> = known.iter().map(|name| format!("\"{name}\"")).collect();
        let hint = match known.as_slice() {
            [] => "there are none".to_owned(),
            known => format!("expected {}", known.join(", ")),
        };
        Problem::new(format!("unknown {what} {}; {hint}", shown(name)))
    }

    pub(super) fn in_field(mut self, name: &'static str) -> Self {
        self.0.way.push(Step::Field(name));
        self
    }

    pub(super) fn in_item(mut self, index: usize) -> Self {
        self.0.way.push(Step::Item(index));
        self
    }

    pub(super) fn in_key(mut self, key: &str) -> Self {
        self.0.way.push(Step::Key(shown(key)));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.way.iter().rev().enumerate() {
            match step {
                // Only a hostile text goes this deep.
                _ if place == LONGEST_WAY => f.write_str("…")?,
                _ if place > LONGEST_WAY => break,
                Step::Field(name) if place == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(index) => write!(f, "[{index}]")?,
                Step::Key(key) => write!(f, "[{key}]")?,
            }
        }
        if !self.0.way.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.0.message)
    }
}

/// Foreign text for a message: quoted, and shortened if it is long.
pub(super) fn shown(text: &str) -> String {
    let mut json = String::new();
    write_text(&cut(text), &mut json);
    json
}

/// A text's beginning.
pub(super) fn cut(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
