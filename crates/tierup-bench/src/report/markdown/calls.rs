//! A report of calls for GitHub. In: a [`Record`] and its [`Figures`]. Out: Markdown.

use tierup_report::{
    Exporter, Markdown,
    markdown::{code_in_table, document, fenced, figures, inline, list, warning},
};

use crate::{
    calls::{figures::Figures, record::Record},
    report::{
        CallsReport,
        calls::{self, Section},
        facts,
    },
};

impl Exporter<CallsReport<'_>> for Markdown {
    fn export(&self, calls: &CallsReport<'_>) -> String {
        render_calls(calls.record, calls.figures)
    }
}

/// The whole report: warnings, a table for each function, failures.
pub fn render_calls(record: &Record, derived: &Figures) -> String {
    let origin = calls::origin(record).join("; ");
    let mut page = vec![
        format!("# {}: calls in process", inline(&record.provenance.title)),
        inline(&format!("{}; {origin}; tierup {}", facts::moment(&record.provenance.began), record.provenance.tierup)),
    ];
    page.extend(warning(&calls::cautions(record)));
    for section in calls::sections(record, derived) {
        page.extend(part(&section));
    }
    if !record.notes.is_empty() {
        page.push(list(record.notes.iter().map(|note| inline(note))));
    }
    page.push("## Method".to_owned());
    page.push(inline(&calls::method(record, derived)));
    page.push(format!("To repeat it:\n\n{}", fenced(&record.provenance.command)));
    document(&page)
}

fn part(section: &Section) -> Vec<String> {
    let mut part = vec![format!("## {}", inline(&section.name)), inline(&section.about), figures(&section.table)];
    if !section.troubles.is_empty() {
        let troubles = section.troubles.iter();
        part.push(list(troubles.map(|(label, why)| format!("{} failed: {}", code_in_table(label), inline(why)))));
    }
    part
}
