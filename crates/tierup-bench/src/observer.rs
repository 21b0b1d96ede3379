//! Who watches a run, of servers or of calls: what it is told while the run goes on, and how it ends the run.

use std::time::Duration;

use crate::record::{Check, Loop};

/// Watches a run whose results are a `Record`. It is told nothing while a slice is measured.
pub trait Observer<Record> {
    fn sees(&mut self, event: &Event<'_>);

    /// The record so far, to be written down.
    fn kept(&mut self, record: &Record);

    /// Whether the user wants the run to end. A run asks every tenth of a second or so, also while it measures.
    fn interrupted(&self) -> bool;
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    Checking {
        row: &'a str,
    },
    /// What the check of a server's answers found.
    Checked {
        row: &'a str,
        check: &'a Check,
    },
    /// From 1, and how long the rest will take, where that is known.
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
    /// A row, or its calls of one function, cannot be measured (further).
    Trouble {
        row: &'a str,
        function: Option<&'a str>,
        why: &'a str,
    },
}
