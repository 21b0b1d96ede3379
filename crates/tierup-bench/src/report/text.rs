//! A report for a terminal, a log or a mail. In: a [`Record`], its [`Analysis`] and a [`Style`]. Out: lines that are at
//! most as wide as the style says, and that can be understood without colours.

mod calls;

use tierup_report::{
    Exporter, Text, printable,
    table::Table,
    text::{Prose, Style, tables},
};

use super::{RunReport, SideBySide, across, cells, compare, cost, facts, tables::of_group};
use crate::{
    analysis::{Analysis, Group, Verdict},
    record::{Record, Trouble},
};
pub use calls::render_calls;

impl Exporter<RunReport<'_>> for Text {
    fn export(&self, run: &RunReport<'_>) -> String {
        render(run.record, run.analysis, self.0)
    }
}

impl Exporter<SideBySide<'_>> for Text {
    fn export(&self, several: &SideBySide<'_>) -> String {
        compare(several.runs, self.0)
    }
}

/// How many lines of a failed server's log are shown.
const LOG_LINES: usize = 12;

/// The whole report: tables, warnings, verdicts, the recommendation, and failures.
pub fn render(record: &Record, analysis: &Analysis, style: Style) -> String {
    let mut prose = Prose::new(style);
    prose.strong(&format!("{}  {}", record.provenance.title, facts::moment(&record.provenance.began)));
    prose.paragraph(&facts::extent(record));
    prose.paragraph(&facts::machine(&record.provenance));
    for group in &analysis.groups {
        figures(&mut prose, analysis, group, style);
    }
    if let Some(across) = across::across(analysis) {
        prose.gap();
        prose.strong("all groups");
        for table in tables(&across.table(), style) {
            prose.block(&table);
            prose.gap();
        }
        prose.faint(&across.note);
    }
    if let Some((head, costs)) = cost::table(record, analysis) {
        prose.gap();
        prose.strong(&head);
        for table in tables(&costs.table(), style) {
            prose.block(&table);
            prose.gap();
        }
        prose.faint(&costs.note);
    }
    for sentence in &analysis.method {
        prose.faint(sentence);
    }
    if !analysis.warnings.is_empty() {
        prose.gap();
        analysis.warnings.iter().for_each(|warning| prose.item("!", warning));
    }
    for group in &analysis.groups {
        sentences(&mut prose, analysis, group);
    }
    for group in &analysis.groups {
        if let Some(recommendation) = &group.recommendation {
            prose.gap();
            prose.set_off(&named(group, recommendation));
        }
    }
    troubles(&mut prose, analysis);
    prose.finish()
}

/// Several runs side by side: a table for each figure, and what differs between the runs.
pub fn compare(runs: &[RunReport<'_>], style: Style) -> String {
    let comparison = compare::compare(runs);
    let mut prose = Prose::new(style);
    prose.strong(&comparison.title);
    for run in &comparison.runs {
        prose.paragraph(&format!("{}: {}", run.name, run.about));
    }
    prose.gap();
    comparison.cautions.iter().for_each(|caution| prose.item("!", caution));
    for section in &comparison.sections {
        prose.gap();
        prose.strong(&section.head);
        let labels = comparison.rows.iter().map(compare::RowKey::words).collect();
        for table in tables(&Table { labels, columns: comparison.columns(section) }, style) {
            prose.block(&table);
        }
    }
    for (name, values) in &comparison.differences {
        prose.gap();
        prose.paragraph(&format!("different {name}:"));
        for (run, value) in comparison.runs.iter().zip(values) {
            prose.item(" ", &format!("{}: {value}", run.name));
        }
    }
    prose.finish()
}

fn figures(prose: &mut Prose, analysis: &Analysis, group: &Group, style: Style) {
    prose.gap();
    if !group.name.is_empty() {
        prose.strong(&group.name);
    }
    for table in of_group(analysis, group).iter().flat_map(|table| tables(table, style)) {
        prose.block(&table);
        prose.gap();
    }
    let rows = || group.rows.iter().filter_map(|row| analysis.rows.get(*row));
    for row in rows().filter(|row| !row.marks.is_empty()) {
        prose.item("~", &format!("{}: {}", row.label, row.marks.join(", ")));
    }
    if rows().any(|row| row.cells.iter().any(|cell| cell.best)) {
        let reference = analysis.rows.get(group.reference).map_or("", |row| row.label.as_str());
        prose.faint(&format!("* the best of its column; 1.00x is the row {reference}, 2.00x less is half of it"));
    }
    group.gain.iter().for_each(|gain| prose.paragraph(&gain.sentence));
}

fn sentences(prose: &mut Prose, analysis: &Analysis, group: &Group) {
    if group.verdicts.is_empty() {
        return;
    }
    prose.gap();
    for sentence in &group.verdicts {
        let sign = match cells::verdict(analysis, sentence) {
            Some(Verdict::Pays) => "+",
            Some(Verdict::DoesNotPay) => "-",
            Some(Verdict::NoDifference) => "=",
            Some(Verdict::CannotTell) => "?",
            Some(Verdict::Mixed) => "±",
            Some(Verdict::Failed) => "x",
            None => "^",
        };
        prose.item(sign, &sentence.text);
    }
}

fn troubles(prose: &mut Prose, analysis: &Analysis) {
    for row in &analysis.rows {
        for Trouble { what, log } in &row.troubles {
            prose.gap();
            let place = if row.group.is_empty() { String::new() } else { format!(" ({})", row.group) };
            prose.item("x", &format!("{}{place}: {what}", row.label));
            let shown = &log[log.len().saturating_sub(LOG_LINES)..];
            if !shown.is_empty() {
                prose.quote(&printable::lines(shown));
            }
        }
    }
}

fn named(group: &Group, text: &str) -> String {
    if group.name.is_empty() { text.to_owned() } else { format!("{}: {text}", group.name) }
}
