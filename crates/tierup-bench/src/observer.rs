//! The observer of a run of servers or of calls: it receives events during the run, and can end it.

use std::time::Duration;

use crate::record::{Check, Loop};

/// Watches a run whose results are a `Record`. It receives no event while a slice is measured.
pub trait Observer<Record> {
    fn sees(&mut self, event: &Event<'_>);

    /// The record so far, to be written down.
    fn kept(&mut self, record: &Record);

    /// Whether the user wants the run to end. A run asks about every tenth of a second, even while it measures.
    fn interrupted(&self) -> bool;
}

/// An event of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    Checking {
        row: &'a str,
    },
    /// The outcome of the check of a server's answers.
    Checked {
        row: &'a str,
        check: &'a Check,
    },
    /// The block's number, from 1, and how long the rest will take, if known.
    Block {
        number: usize,
        of: usize,
        left: Option<Duration>,
    },
    /// A server is started.
    Starting {
        row: &'a str,
    },
    /// A server is loaded to warm it up.
    WarmingUp {
        row: &'a str,
    },
    /// A round of slices of all servers begins.
    Round {
        experiment: Loop,
        number: usize,
        of: usize,
        left: Duration,
    },
    /// A function is timed in every row.
    Timing {
        function: &'a str,
    },
    /// A row, or its calls of one function, cannot be measured, or not further.
    Trouble {
        row: &'a str,
        function: Option<&'a str>,
        why: &'a str,
    },
}
