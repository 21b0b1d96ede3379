//! HTML pages that need no network and no library. In: untrusted texts, tables, drawings. Out: one page with its style
//! and a script that sorts tables and shows values of latency curves. All untrusted text is escaped.

mod chapters;
mod lists;
mod page;
mod table;

pub use chapters::{Chapter, Chapters, Outcome, Step};
pub use lists::{facts, legend, listing};
pub use page::{About, Data, Page, json};
pub use table::{Figures, Head, Table, TableRow};

/// Renders a template.
pub fn filled(template: &impl askama::Template) -> String {
    // Writing to a String cannot fail, and no template calls anything else that can.
    template.render().unwrap_or_else(|error| format!("<!doctype html><title>report</title><p>{error}"))
}

/// Renders a template on lines of its own.
fn on_lines(template: &impl askama::Template) -> String {
    format!("\n{}\n", filled(template))
}
