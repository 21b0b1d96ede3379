//! What the user sees of calls that are timed, and what is kept of them.

use std::io::IsTerminal as _;

use tierup_bench::{
    calls::{Event, Observer, figures::Figures, record::Record},
    report::CallsReport,
};
use tierup_report::{Exporter as _, Json, Markdown};
use tierup_runner::Interrupts;

use crate::{
    console::Console,
    failure::Result,
    measure::{Output, clock},
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
        let calls = CallsReport { record, figures: &figures };
        let files = [("in-process.json", Json.export(&calls)), ("in-process.md", Markdown.export(&calls))];
        self.output.write(files, self.console);
    }

    fn interrupted(&self) -> bool {
        self.interrupts.arrived()
    }
}
