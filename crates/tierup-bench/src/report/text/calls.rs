//! A report of calls for a terminal. In: a [`Record`], its [`Figures`] and a [`Style`]. Out: lines.

use tierup_report::{
    Exporter, Text,
    text::{Prose, Style, figures as aligned},
};

use crate::{
    calls::{figures::Figures, record::Record},
    report::{CallsReport, calls, facts},
};

impl Exporter<CallsReport<'_>> for Text {
    fn export(&self, calls: &CallsReport<'_>) -> String {
        render_calls(calls.record, calls.figures, self.0)
    }
}

/// The whole report: warnings, a table for each function, failures.
pub fn render_calls(record: &Record, figures: &Figures, style: Style) -> String {
    let mut prose = Prose::new(style);
    prose.strong(&format!(
        "{}: calls in process  {}",
        record.provenance.title,
        facts::moment(&record.provenance.began)
    ));
    for line in calls::origin(record) {
        prose.paragraph(&line);
    }
    for caution in calls::cautions(record) {
        prose.item("!", &caution);
    }
    for section in calls::sections(record, figures) {
        prose.gap();
        prose.strong(&section.name);
        prose.faint(&section.about);
        prose.block(&aligned(&section.table));
        for (label, why) in &section.troubles {
            prose.item("x", &format!("{label}: {why}"));
        }
    }
    prose.gap();
    for note in &record.notes {
        prose.item("-", note);
    }
    prose.faint(&calls::method(record, figures));
    prose.finish()
}
