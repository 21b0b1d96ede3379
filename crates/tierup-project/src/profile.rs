//! `[profile]`: what `tierup profile` needs to know about the user's code.

use tierup_diagnostic::Diagnostic;

use crate::document::{Document, Table};

/// `[profile]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileSettings {
    /// Prefixes of the user's own functions or files. If it is empty, the host's rules decide.
    pub own: Vec<String>,
}

pub(crate) fn read(table: &Table<'_>, document: &Document) -> ProfileSettings {
    let own = table.texts("own").unwrap_or_default();
    for text in own.iter().filter(|text| text.value.is_empty()) {
        let problem = Diagnostic::new("a beginning in `own` is empty: all code begins like this");
        document.add(problem.at(document.place(&text.span)).hint("write e.g. `own = [\"com.example.shop.\"]`"));
    }
    ProfileSettings { own: own.into_iter().map(|text| text.value).collect() }
}
