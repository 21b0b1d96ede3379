//! A ranking as a report. In: a [`Ranking`], and what is assumed of a rewrite. Out: text for a terminal, and JSON.

mod json;
mod text;

use crate::{
    bound::{Bound, Rewrite},
    rank::{Function, Ranking},
    words,
};

/// What is reported.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What was profiled, e.g. the files' names.
    pub title: &'a str,
    pub ranking: &'a Ranking,
    pub rewrite: Rewrite,
    /// The command to type next, if there is one.
    pub next: Option<&'a str>,
}

/// Rows that take less than this of the CPU are summed up.
const LEAST: f64 = 0.001;
/// The most functions that a terminal shows.
const MOST_ROWS: usize = 20;

/// The first candidate, if it takes more than a trace of the CPU.
pub fn first(ranking: &Ranking) -> Option<&Function> {
    ranking.candidates().next().filter(|function| function.owned.value >= LEAST)
}

/// The first candidate, and the next step.
pub(crate) fn conclusion(report: &Report<'_>) -> Vec<String> {
    let Some(first) = first(report.ranking) else {
        return vec!["No function of yours could move to Rust as it is.".to_owned()];
    };
    let (name, _) = words::named(&first.frame);
    let mut text = format!("{name} is the first candidate: {}.", Bound::of(first.owned, report.rewrite).text());
    if !first.packages.is_empty() {
        let names: Vec<String> = first.packages.iter().map(|name| tierup_report::printable::line(name)).collect();
        text += &format!(" Owned share: with {}, which only it reaches.", names.join(", "));
    }
    let mut conclusion =
        vec![text, "A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.".to_owned()];
    conclusion.extend(report.next.map(|next| format!("Next: {next}")));
    conclusion
}
