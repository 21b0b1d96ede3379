//! What the user sees of calls that are timed, and what is kept of them.

use std::io::IsTerminal as _;

use tierup_bench::{
    calls::{Event, Observer, figures::Figures, record::Record},
    report::{markdown, text},
};
use tierup_runner::{Interrupts, Observer as _};

use crate::{
    console::Console,
    failure::Result,
    measure::{Format, Output, clock, style},
};

/// Watches a run, and writes its report after each block.
pub(super) struct Kept<'a> {
    pub(super) console: &'a mut Console,
    pub(super) interrupts: &'a Interrupts,
    pub(super) output: &'a mut Output,
}

impl Observer for Kept<'_> {
    fn sees(&mut self, event: &Event<'_>) {
        match event {
            Event::Checking { row } => self.console.status(&format!("checking the answers of {row}")),
            Event::Block { number, of, left } => {
                let left = left.map_or_else(String::new, |left| format!(", {} left", clock(left)));
                self.console.status(&format!("block {number} of {of}{left}"));
            }
            // A line for each would fill a log.
            Event::Timing { function } if std::io::stderr().is_terminal() => {
                self.console.status(&format!("timing `{function}`"));
            }
            Event::Timing { .. } => {}
            Event::Trouble { row, function, why } => self.console.note(&format!("{row}, `{function}`: {why}")),
        }
    }

    fn kept(&mut self, record: &Record) {
        let record = &record.masked(&|text| self.console.masked(text));
        let figures = Figures::of(record);
        let files = [
            ("in-process.json", json(record, &figures) + "\n"),
            ("in-process.md", markdown::render_calls(record, &figures)),
        ];
        self.output.write(files, self.console);
    }

    fn interrupted(&self) -> bool {
        self.interrupts.arrived()
    }
}

/// On standard output.
pub(super) fn show(record: &Record, format: Format, console: &Console) -> Result<()> {
    let record = &record.masked(&|text| console.masked(text));
    let figures = Figures::of(record);
    let shown = match format {
        Format::Json => json(record, &figures),
        Format::Markdown => markdown::render_calls(record, &figures),
        Format::Text | Format::Html => text::render_calls(record, &figures, style(console)),
    };
    console.data(shown.trim_end())
}

/// The record with what was derived from it. In one line, as there is an entry for each slice.
fn json(record: &Record, figures: &Figures) -> String {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let (Some(object), Ok(figures)) = (value.as_object_mut(), serde_json::to_value(figures)) {
        object.insert("figures".to_owned(), figures);
    }
    value.to_string()
}
