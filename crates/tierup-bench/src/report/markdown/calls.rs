//! A report of calls for GitHub. In: a [`Record`] and its [`Figures`]. Out: Markdown.

use super::{code_in_table, facts, fenced, finished, inline, table, warning};
use crate::{
    calls::{figures::Figures, record::Record},
    report::calls::{self, Section},
};

/// The whole report: what to know first, a table for each function, what failed.
pub fn render_calls(record: &Record, figures: &Figures) -> String {
    let origin = calls::origin(record).join("; ");
    let mut page = vec![
        format!("# {}: calls in process", inline(&record.title)),
        inline(&format!("{}; {origin}; tierup {}", facts::moment(&record.began), record.tierup)),
    ];
    page.extend(warning(&calls::cautions(record)));
    for section in calls::sections(record, figures) {
        page.extend(part(&section));
    }
    if !record.notes.is_empty() {
        page.push(list(record.notes.iter().map(|note| inline(note))));
    }
    page.push("## Method".to_owned());
    page.push(inline(&calls::method(record, figures)));
    page.push(format!("To repeat it:\n\n{}", fenced(&record.command)));
    finished(page)
}

fn part(section: &Section) -> Vec<String> {
    let head: Vec<String> = section.head.iter().map(|title| inline(title)).collect();
    let rows = section.rows.iter().map(|(label, cells)| (code_in_table(label), cells.clone()));
    let mut part = vec![format!("## {}", inline(&section.name)), inline(&section.about), table::figures(&head, rows)];
    if !section.troubles.is_empty() {
        let troubles = section.troubles.iter();
        part.push(list(troubles.map(|(label, why)| format!("{} failed: {}", code_in_table(label), inline(why)))));
    }
    part
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}
