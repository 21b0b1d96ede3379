//! Shows a run to the user, and writes its reports during the run.

use std::{io::IsTerminal as _, time::Duration};

use tierup_bench::{
    calls::record::Record as CallsRecord,
    observer::{Event, Observer},
    record::{Check, Loop, Record},
};
use tierup_runner::{Interrupts, Observer as _};

use super::Output;
use crate::console::Console;

pub(crate) struct Watcher<'a> {
    pub(crate) console: &'a mut Console,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) output: &'a mut Output,
}

impl Watcher<'_> {
    fn shows(&self, event: &Event<'_>) {
        match event {
            Event::Checking { row } => self.console.status(&format!("checking the answers of {row}")),
            Event::Checked { row, check } => match check {
                Check::Different { different, compared, first } => {
                    self.console
                        .note(&format!("{row} answers {different} of {compared} requests differently: {first}"));
                }
                Check::Failed { trouble } => self.console.note(&format!("cannot measure {row}: {}", trouble.what)),
                Check::Same { .. } | Check::Alone => {}
            },
            Event::Block { number, of, left } => {
                let left = left.map_or_else(String::new, |left| format!(", {} left", clock(left)));
                self.console.status(&format!("block {number} of {of}{left}"));
            }
            Event::Starting { .. } | Event::WarmingUp { .. } => {}
            Event::Round { experiment, number, of, left } => {
                let what = match experiment {
                    Loop::Closed => "throughput",
                    Loop::Open => "latency",
                };
                self.console.status(&format!("  {what}, round {number} of {of}, {} left", clock(*left)));
            }
            // In a log, one line per function would be too much.
            Event::Timing { function } if std::io::stderr().is_terminal() => {
                self.console.status(&format!("timing `{function}`"));
            }
            Event::Timing { .. } => {}
            Event::Trouble { row, function: None, why } => self.console.note(&format!("{row}: {why}")),
            Event::Trouble { row, function: Some(function), why } => {
                self.console.note(&format!("{row}, `{function}`: {why}"));
            }
        }
    }
}

impl Observer<Record> for Watcher<'_> {
    fn sees(&mut self, event: &Event<'_>) {
        self.shows(event);
    }

    fn kept(&mut self, record: &Record) {
        match self.interrupts.arrived() {
            // After an interrupt, the user may not wait for the end of the run.
            true => self.output.keep(record, self.console),
            false => self.output.keep_now_and_then(record, self.console),
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupts.arrived()
    }
}

impl Observer<CallsRecord> for Watcher<'_> {
    fn sees(&mut self, event: &Event<'_>) {
        self.shows(event);
    }

    fn kept(&mut self, record: &CallsRecord) {
        self.output.keep_calls(record, self.console);
    }

    fn interrupted(&self) -> bool {
        self.interrupts.arrived()
    }
}

/// Minutes and seconds, e.g. `7:05`.
fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
