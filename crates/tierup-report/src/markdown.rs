//! GitHub's Markdown, for issues, pull requests and READMEs. In: texts from anywhere, and tables. Out: Markdown in which
//! text from outside is escaped, so that it neither formats nor mentions anybody.

mod escape;
mod table;

pub use escape::{code, code_in_table, fenced, inline};
pub use table::{facts, figures, labelled, texts};

/// Sentences that the reader must know first, as one of GitHub's alerts; `None` where there is none.
pub fn warning(sentences: &[String]) -> Option<String> {
    let lines = sentences.iter().map(|sentence| format!("> {}", inline(sentence)));
    (!sentences.is_empty()).then(|| format!("> [!WARNING]\n{}", lines.collect::<Vec<_>>().join("\n>\n")))
}

/// A list of items that are Markdown already.
pub fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

/// Headings, paragraphs, lists and tables as one document.
pub fn document(parts: &[String]) -> String {
    parts.join("\n\n") + "\n"
}
