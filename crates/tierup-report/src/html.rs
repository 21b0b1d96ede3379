//! HTML pages that need no network and no library. In: texts from anywhere, tables, drawings. Out: one page with its
//! style and a script that sorts tables and reads values off latency curves. All text from outside is escaped.

mod chapters;
mod lists;
mod page;
mod table;

pub use chapters::{Chapter, Chapters, Outcome, Step};
pub use lists::{facts, legend, listing};
pub use page::{About, Data, Page, json};
pub use table::{Figures, Head, Table, TableRow};

/// What a template makes of its values.
pub fn filled(template: &impl askama::Template) -> String {
    // Writing into a String cannot fail, and no template calls anything else that can.
    template.render().unwrap_or_else(|error| format!("<!doctype html><title>report</title><p>{error}"))
}

/// The same, on lines of its own.
fn on_lines(template: &impl askama::Template) -> String {
    format!("\n{}\n", filled(template))
}
