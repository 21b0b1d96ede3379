//! What is wrong with a body, as the JSON that says so.

use std::fmt::{Display, Write as _};

/// More are not listed: a body of 64 KiB has room for thousands, and each takes more bytes to name than to make.
const MOST: usize = 100;

/// A list of problems, each with its place.
pub(crate) struct Problems {
    /// What stands between the brackets.
    list: String,
    count: usize,
}

impl Problems {
    pub(crate) fn new() -> Self {
        Self { list: String::new(), count: 0 }
    }

    /// The JSON of a single problem.
    pub(crate) fn one(path: impl Display, message: impl Display) -> String {
        let mut problems = Self::new();
        problems.add(path, message);
        problems.into_json()
    }

    /// Adds one. Paths and messages are this crate's own words, and hold nothing that JSON must escape.
    pub(crate) fn add(&mut self, path: impl Display, message: impl Display) {
        if self.is_full() {
            return;
        }
        let comma = if self.count == 0 { "" } else { "," };
        // A String takes whatever is written to it.
        let _ = write!(self.list, r#"{comma}{{"path":"{path}","message":"{message}"}}"#);
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether looking for more would be in vain.
    pub(crate) fn is_full(&self) -> bool {
        self.count == MOST
    }

    pub(crate) fn into_json(self) -> String {
        format!(r#"{{"errors":[{}]}}"#, self.list)
    }
}
