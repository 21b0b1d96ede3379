//! What a run tells whoever watches it, and what can keep it from being done.

use std::time::Duration;

use crate::record::{Check, Loop, Record, Trouble};

/// Who watches a run. Nothing is told while a slice is measured.
pub trait Observer {
    fn sees(&mut self, event: &Event<'_>);

    /// The record so far: to be written down.
    fn kept(&mut self, record: &Record);

    /// Whether the user wants it to end; asked every tenth of a second or so.
    fn interrupted(&self) -> bool;
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    Checking {
        row: &'a str,
    },
    Checked {
        row: &'a str,
        check: &'a Check,
    },
    /// From 1, and how long the rest will take.
    Block {
        number: usize,
        of: usize,
        left: Duration,
    },
    Starting {
        row: &'a str,
    },
    WarmingUp {
        row: &'a str,
    },
    /// A round of slices of all rows begins.
    Round {
        experiment: Loop,
        number: usize,
        of: usize,
        left: Duration,
    },
    /// A row cannot be measured (further).
    Trouble {
        row: &'a str,
        trouble: &'a Trouble,
    },
}

/// What keeps a whole run from being done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no request to send")]
    NoRequests,
    #[error("none of the {count} requests gets a successful answer: {reference} answers {first}")]
    AllRefused { reference: String, count: usize, first: String },
    #[error("no row could be measured: {row}: {}", trouble.what)]
    NothingRuns { row: String, trouble: Trouble },
    #[error("interrupted before anything was measured")]
    Interrupted,
}
