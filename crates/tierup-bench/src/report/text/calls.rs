//! A report of calls for a terminal. In: a [`Record`], its [`Figures`] and a [`Style`]. Out: lines.

use super::{Style, facts, printable, prose::Prose};
use crate::{
    calls::{figures::Figures, record::Record},
    report::calls::{self, Section},
};

/// The whole report: what to know first, a table for each function, what failed.
pub fn render_calls(record: &Record, figures: &Figures, style: Style) -> String {
    let mut prose = Prose::new(style);
    prose.strong(&format!("{}: calls in process  {}", record.title, facts::moment(&record.began)));
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
        prose.block(&table(&section));
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

/// Labels to the left, figures to the right.
fn table(section: &Section) -> String {
    let head = std::iter::once(String::new()).chain(section.head.iter().cloned()).collect::<Vec<_>>();
    let rows = section
        .rows
        .iter()
        .map(|(label, cells)| std::iter::once(printable::line(label)).chain(cells.iter().cloned()).collect::<Vec<_>>());
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let figures = cells.iter().zip(&widths).skip(1).map(|(cell, width)| format!("{cell:>width$}"));
        format!("{:<1$}   {2}", cells[0], widths[0], figures.collect::<Vec<_>>().join("   "))
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}
