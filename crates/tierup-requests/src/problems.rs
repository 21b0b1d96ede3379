//! The problems found so far.

use tierup_diagnostic::Diagnostic;

/// The most problems that are listed, as nobody reads more at once.
const MOST: usize = 20;

/// Up to twenty distinct problems.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Diagnostic>,
}

impl Problems {
    /// Adds a problem unless it is listed already: a variable is looked up at each use, so its problem can repeat.
    pub(crate) fn push(&mut self, problem: Diagnostic) {
        if self.found.len() < MOST && !self.found.contains(&problem) {
            self.found.push(problem);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn are_full(&self) -> bool {
        self.found.len() == MOST
    }

    /// Fails with the problems, sorted by file and line, if there are any.
    pub(crate) fn check(&mut self) -> Result<(), Vec<Diagnostic>> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.file.clone(), place.line, place.column)));
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}

/// The start of a text that may be long, for use in a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    if text.len() <= MOST { text.to_owned() } else { format!("{}…", &text[..text.floor_char_boundary(MOST)]) }
}
