//! GitHub's Markdown, for issues, pull requests and READMEs. In: untrusted texts, and tables. Out: Markdown in which
//! untrusted text is escaped, so that it neither formats anything nor mentions anybody.

mod escape;
mod table;

pub use escape::{code, code_in_table, fenced, inline, source};
pub use table::{facts, figures, labelled, texts};

/// Warnings to read first, as a GitHub alert; `None` if there are none.
pub fn warning(sentences: &[String]) -> Option<String> {
    let lines = sentences.iter().map(|sentence| format!("> {}", inline(sentence)));
    (!sentences.is_empty()).then(|| format!("> [!WARNING]\n{}", lines.collect::<Vec<_>>().join("\n>\n")))
}

/// A list whose items are Markdown.
pub fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

/// Headings, paragraphs, lists and tables as one document.
pub fn document(parts: &[String]) -> String {
    parts.join("\n\n") + "\n"
}
