//! Reports a ranking. In: a [`Ranking`] and the sensor. Out: text for a terminal, and JSON.

mod json;
mod text;

use crate::{rank::Ranking, routes::Routes, sensed::Sensed, words};

/// The content of a report.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The subject of the profile, e.g. the files' names.
    pub title: &'a str,
    pub ranking: &'a Ranking,
    /// The command to type next, if there is one.
    pub next: Option<&'a str>,
    /// The sensor, if the profile was taken here.
    pub sensed: Option<&'a Sensed>,
    /// The cost of each route, if several were requested.
    pub routes: Option<&'a Routes>,
}

/// The most functions that a terminal shows.
const MOST_ROWS: usize = 20;

/// The verdict, and the next step.
pub(crate) fn conclusion(report: &Report<'_>) -> Vec<String> {
    let mut conclusion = report.ranking.verdict().text(report.ranking);
    conclusion.extend(report.routes.and_then(Routes::conclusion));
    conclusion.extend(report.next.map(|next| format!("Next: {next}")));
    conclusion
}

/// The name of tier 4's host.
const RUST: &str = "rust";

/// The warnings that a reader must see first.
pub(crate) fn doubts(report: &Report<'_>) -> Vec<String> {
    let mut doubts = words::doubts(report.ranking, report.sensed);
    if report.ranking.host.as_deref() == Some(RUST) {
        doubts.push(
            "This server is Rust already: its last column says what a function that cost nothing would buy.".to_owned(),
        );
    }
    doubts.extend(report.sensed.and_then(Sensed::idle));
    doubts.extend(report.sensed.and_then(Sensed::disturbed));
    doubts.extend(report.ranking.known.iter().map(words::known));
    doubts.extend(report.sensed.and_then(|sensed| words::missed(report.ranking, sensed)));
    doubts.extend(report.sensed.and_then(|sensed| words::unsampled(report.ranking, sensed)));
    doubts
}
