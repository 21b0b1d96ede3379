//! Compares two profiles, such as before and after a change. In: both. Out: the functions whose share changed most, as
//! text and as JSON. Shares say nothing about speed: a function may take a larger part of a smaller whole.

use serde::Serialize;
use tierup_report::{
    Exporter, Json, Text, json,
    text::{Prose, aligned},
};

use crate::{
    flame::{self, FunctionTotals},
    profile::Profile,
    words,
};

/// The most functions that a terminal shows.
const MOST_ROWS: usize = 25;

/// Two profiles.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    pub title: &'a str,
    pub profile: &'a Profile,
    pub before_title: &'a str,
    pub before: &'a Profile,
}

#[derive(Serialize)]
struct Document {
    format: u32,
    title: String,
    before: String,
    functions: Vec<Row>,
}

/// Shares of all samples without idle time.
#[derive(Serialize)]
struct Row {
    function: String,
    file: String,
    #[serde(rename = "self")]
    itself: f64,
    self_before: f64,
    total: f64,
    total_before: f64,
}

/// The functions, sorted by the largest change of their self or total share.
fn rows(comparison: &Comparison<'_>) -> Vec<Row> {
    let both = flame::both(comparison.profile, Some(comparison.before));
    let mut rows: Vec<Row> = flame::functions(&both, flame::Wholes::sampled(&both))
        .into_iter()
        .map(|(id, FunctionTotals { itself, total })| {
            let (function, file) = words::named(both.frame_of(id));
            Row { function, file, itself: itself.0, self_before: itself.1, total: total.0, total_before: total.1 }
        })
        .collect();
    let change = |row: &Row| (row.itself - row.self_before).abs().max((row.total - row.total_before).abs());
    rows.sort_by(|one, other| change(other).total_cmp(&change(one)));
    rows
}

impl Exporter<Comparison<'_>> for Text {
    fn export(&self, comparison: &Comparison<'_>) -> String {
        let mut prose = Prose::new(self.0);
        prose.strong(&format!("Profile of {}, compared with {}", comparison.title, comparison.before_title));
        prose.faint("Shares are of the samples of each profile: they say where the time goes, not how much it is.");
        prose.gap();
        let rows: Vec<[String; 7]> = rows(comparison)
            .into_iter()
            .take(MOST_ROWS)
            .map(|row| {
                let share = words::percent;
                [
                    words::cut(&row.function, 36),
                    share(row.self_before),
                    share(row.itself),
                    points(row.itself - row.self_before),
                    format!("{} -> {}", share(row.total_before), share(row.total)),
                    points(row.total - row.total_before),
                    words::cut(&row.file, 32),
                ]
            })
            .collect();
        prose.block(&aligned(["function", "self before", "self now", "change", "total", "change", ""], &rows));
        prose.finish()
    }
}

impl Exporter<Comparison<'_>> for Json {
    fn export(&self, comparison: &Comparison<'_>) -> String {
        json::pretty(&Document {
            format: 1,
            title: comparison.title.to_owned(),
            before: comparison.before_title.to_owned(),
            functions: rows(comparison),
        })
    }
}

/// A change in percentage points: `+3.2`.
fn points(change: f64) -> String {
    format!("{:+.1}", change * 100.0)
}
