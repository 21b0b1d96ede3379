//! The problems found so far.

use tierup_diagnostic::Diagnostic;

/// As many as anybody reads at once.
const MOST: usize = 20;

/// Up to twenty problems, each once.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Diagnostic>,
}

impl Problems {
    /// A variable is asked for wherever it is used, so that the same problem may come again.
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

    /// The problems, if there are any, by file and line.
    pub(crate) fn check(&mut self) -> Result<(), Vec<Diagnostic>> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.file.clone(), place.line, place.column)));
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}
