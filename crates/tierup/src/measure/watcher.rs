//! What the user sees of a run, and what is kept of it while it goes on.

use std::time::Duration;

use tierup_bench::{
    record::{Check, Loop, Record},
    run::{Event, Observer},
};
use tierup_runner::{Interrupts, Observer as _};

use super::Output;
use crate::console::Console;

pub(crate) struct Watcher<'a> {
    pub(crate) console: &'a mut Console,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) output: &'a mut Output,
}

impl Observer for Watcher<'_> {
    fn sees(&mut self, event: &Event<'_>) {
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
                self.console.status(&format!("block {number} of {of}, {} left", clock(*left)));
            }
            Event::Starting { .. } | Event::WarmingUp { .. } => {}
            Event::Round { experiment, number, of, left } => {
                let what = match experiment {
                    Loop::Closed => "throughput",
                    Loop::Open => "latency",
                };
                self.console.status(&format!("  {what}, round {number} of {of}, {} left", clock(*left)));
            }
            Event::Trouble { row, trouble } => self.console.note(&format!("{row}: {}", trouble.what)),
        }
    }

    fn kept(&mut self, record: &Record) {
        match self.interrupted() {
            // The user may not wait for the end.
            true => self.output.keep(record, self.console),
            false => self.output.keep_now_and_then(record, self.console),
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupts.arrived()
    }
}

pub(super) fn clock(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
