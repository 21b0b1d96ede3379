//! A run of calls under way: what it has measured and learned so far, and what kept rows from being timed.

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use super::{
    pace::Pace,
    plan::{Plan, Refusal},
    record::Record,
};
use crate::observer::{Event, Observer};

/// What keeps a whole run from being done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("there is nothing to time: {0}")]
    Nothing(String),
    #[error("cannot call the functions without a host: {0}")]
    Alone(String),
    #[error("interrupted before anything was timed")]
    Interrupted,
}

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) observer: &'a mut dyn Observer<Record>,
    pub(super) record: Record,
    /// By function, row and place in the function's `timed`.
    pub(super) known: Vec<Vec<Vec<Known>>>,
    pub(super) random: ChaCha8Rng,
}

/// What is known of one call of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) pace: Pace,
    /// Of its answer.
    pub(super) bytes: usize,
}

/// How a block, or a part of it, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Done,
    Interrupted,
}

impl Run<'_> {
    /// Records and reports why a row's calls of a function are not timed; the first reason counts.
    pub(super) fn trouble(&mut self, function: usize, row: usize, why: String) {
        let entry = &mut self.record.functions[function];
        if entry.rows[row].trouble.is_none() {
            let (row_label, function) = (&self.record.rows[row].label, &entry.name);
            self.observer.sees(&Event::Trouble { row: row_label, function: Some(function), why: &why });
            entry.rows[row].trouble = Some(why);
        }
    }

    /// The error of a run whose first row, the function alone, cannot be called.
    pub(super) fn nothing(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Call(why) | Refusal::Process(why) => Error::Alone(why),
            Refusal::Interrupted => Error::Interrupted,
        }
    }

    /// The first reason why a row was not timed.
    pub(super) fn first_trouble(&self) -> String {
        let rows = self.record.functions.iter().flat_map(|function| &function.rows);
        rows.filter_map(|row| row.trouble.clone()).next().unwrap_or_default()
    }

    /// All rows, in random order.
    pub(super) fn shuffled(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.plan.rows.len()).collect();
        rows.shuffle(&mut self.random);
        rows
    }
}
