//! Words that evidence shows, however few clients sent them: parts of paths, and names of parameters whose values it shows.

/// `*` stands for all words, but for those that look like secrets.
#[derive(Debug, Clone, Default)]
pub struct Show(Vec<String>);

impl Show {
    pub fn new(words: Vec<String>) -> Show {
        Show(words)
    }

    /// All words.
    pub fn all() -> Show {
        Show(vec!["*".to_owned()])
    }

    pub(crate) fn is_all(&self) -> bool {
        self.0.iter().any(|word| word == "*")
    }

    /// Whether this word is named.
    pub(crate) fn names(&self, word: &str) -> bool {
        self.0.iter().any(|named| named.eq_ignore_ascii_case(word))
    }
}
