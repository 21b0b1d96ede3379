//! A ranking as a report. In: a [`Ranking`], and what is assumed of a rewrite. Out: text for a terminal, and JSON.

mod json;
mod text;

use crate::{bound::Rewrite, rank::Ranking};

/// What is reported.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What was profiled, e.g. the files' names.
    pub title: &'a str,
    pub ranking: &'a Ranking,
    pub rewrite: Rewrite,
}

/// Rows that take less than this of the CPU are summed up.
const LEAST: f64 = 0.001;
/// The most functions that a terminal shows.
const MOST_ROWS: usize = 20;
