//! The location of a value in a JSON document.

use std::fmt;

use crate::json::Text;

/// The steps from the root to a value. It displays as `$.items[3]['two words']`, which [`Path`](crate::Path) can parse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Location(pub Vec<Step>);

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    Key(Text<'static>),
    /// From 0.
    Index(usize),
}

impl Step {
    pub(crate) fn key(key: &Text<'_>) -> Step {
        Step::Key(key.clone().into_owned())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.0.iter().try_for_each(|step| match step {
            Step::Key(key) => write_key(key, f),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

impl serde::Serialize for Location {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `.name`, or `['two words']` if the short form does not allow the name (RFC 9535, section 2.5.1.1).
pub(crate) fn write_key(key: &Text<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match std::str::from_utf8(key.as_bytes()) {
        Ok(name) if is_name(name) => write!(f, ".{name}"),
        _ => write!(f, "['{}']", key.to_string().replace("\\\"", "\"").replace('\'', "\\'")),
    }
}

/// Whether a name needs no quotes in a path.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(is_in_name)
}

/// Letters, digits, `_` and every non-ASCII character, except those that a terminal would not show.
pub(crate) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && c.is_alphanumeric()
}
