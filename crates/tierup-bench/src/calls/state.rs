//! A run of calls under way: what it has measured and learned so far, and what kept rows from being timed.

use std::time::Duration;

use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use super::{
    plan::{Plan, Refusal},
    record::Record,
};
use crate::observer::{Event, Observer};

/// The time of one call of a row with one argument list, as far as known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    /// Seconds per call, and the number of repeats in which it was measured.
    known: Option<(f64, u32)>,
}

/// The largest factor by which the number of repeats grows at once, as the time of one short call is mostly the clock's
/// resolution.
const GROWTH: u32 = 100;

impl Pace {
    pub(super) fn repeat(self, wanted: Duration) -> u32 {
        let Some((seconds, last)) = self.known else { return 1 };
        let most = last.saturating_mul(GROWTH);
        // Division by 0 gives infinity, which `as` makes the largest number.
        ((wanted.as_secs_f64() / seconds) as u32).clamp(1, most)
    }

    /// Seconds per call; 0 if unknown.
    pub(super) fn seconds(self) -> f64 {
        self.known.map_or(0.0, |(seconds, _)| seconds)
    }

    pub(super) fn learn(&mut self, elapsed: Duration, repeat: u32) {
        self.known = Some((elapsed.as_secs_f64() / f64::from(repeat), repeat));
    }
}

/// Why a whole run fails.
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
    /// Facts by function, by row, and by place in the function's `timed`.
    pub(super) known: Vec<Vec<Vec<CallFacts>>>,
    pub(super) random: ChaCha8Rng,
}

/// What is known about one call of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallFacts {
    pub(super) pace: Pace,
    /// The size of its answer.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_grows_until_it_takes_as_long_as_wanted() {
        let wanted = Duration::from_millis(15);
        let mut pace = Pace::default();
        assert_eq!(pace.repeat(wanted), 1);
        pace.learn(Duration::ZERO, 1);
        assert_eq!(pace.repeat(wanted), 100);
        pace.learn(Duration::from_micros(1), 100);
        assert_eq!(pace.repeat(wanted), 10_000);
        pace.learn(Duration::from_micros(100), 10_000);
        assert_eq!(pace.repeat(wanted), 1_000_000);
        pace.learn(Duration::from_millis(10), 1_000_000);
        assert_eq!(pace.repeat(wanted), 1_500_000);
    }

    #[test]
    fn a_call_that_takes_longer_is_made_once() {
        let mut pace = Pace::default();
        pace.learn(Duration::from_secs(2), 1);
        assert_eq!(pace.repeat(Duration::from_millis(15)), 1);
    }
}
