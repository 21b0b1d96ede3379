//! Words that evidence shows, however few clients sent them: parts of paths, and names of parameters whose values it shows.

use glob::{MatchOptions, Pattern};

/// `*` stands for all words, but for those that look like secrets.
#[derive(Debug, Clone, Default)]
pub struct Show {
    words: Vec<String>,
    /// Of denied paths: parts of paths only, since `/reset/*` says nothing about `?reset=`.
    parts: Vec<Pattern>,
}

/// As denied paths are read.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: false, require_literal_separator: true, require_literal_leading_dot: false };

impl Show {
    pub fn new(words: Vec<String>) -> Show {
        Show { words, parts: Vec::new() }
    }

    /// All words.
    pub fn all() -> Show {
        Show::new(vec!["*".to_owned()])
    }

    /// The parts of these patterns, too: the user wrote them.
    #[must_use]
    pub fn and_parts_of<'p>(mut self, denied: impl IntoIterator<Item = &'p String>) -> Show {
        let parts = denied.into_iter().flat_map(|path| path.split('/'));
        let parts = parts.filter(|part| !part.trim_matches('*').is_empty());
        self.parts.extend(parts.filter_map(|part| Pattern::new(part).ok()));
        self
    }

    pub(crate) fn is_all(&self) -> bool {
        self.words.iter().any(|word| word == "*")
    }

    /// Whether this word is named.
    pub(crate) fn names(&self, word: &str) -> bool {
        self.words.iter().any(|named| named.eq_ignore_ascii_case(word))
    }

    /// Whether this part of a path is named. What may be a secret is not named by a pattern with a `*`.
    pub(crate) fn names_part(&self, part: &str, is_secret: bool) -> bool {
        let names =
            |pattern: &Pattern| pattern.matches_with(part, OPTIONS) && !(is_secret && pattern.as_str().contains('*'));
        self.names(part) || self.parts.iter().any(names)
    }
}
