//! The problems found so far.

use tierup_model::Diagnostic;

/// As many as anybody reads at once.
const MOST: usize = 20;

/// Up to twenty problems, each once, in the order in which they were found.
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

    /// The problems, if there are any.
    pub(crate) fn check(&mut self) -> Result<(), Vec<Diagnostic>> {
        if self.found.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.found)) }
    }
}
