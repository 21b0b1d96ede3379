//! Headers that differ and do not count, over all answers: a line of the summary names them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tierup_parity::{Answer, HeaderRules, Observation, Seen, not_compared};

/// A header, and the rows at which it differs from the control's.
#[derive(Debug, Clone, Serialize)]
pub struct HeaderReport {
    pub header: String,
    pub rows: Vec<String>,
}

/// The names of headers that differ between two servers' answers. Those in `changing` differ by themselves.
pub(crate) fn unlike(
    control: &[Observation],
    candidate: &[Observation],
    rules: &HeaderRules,
    changing: &BTreeSet<String>,
) -> BTreeSet<String> {
    let both = control.iter().zip(candidate).filter_map(|(mine, theirs)| Some((answer(mine)?, answer(theirs)?)));
    both.filter(|(mine, theirs)| mine.status == theirs.status)
        .flat_map(|(mine, theirs)| not_compared(mine, theirs, rules, changing))
        .collect()
}

/// By header.
pub(crate) fn reports<'a>(rows: impl IntoIterator<Item = (&'a str, &'a BTreeSet<String>)>) -> Vec<HeaderReport> {
    let mut by_header: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    for (row, headers) in rows {
        headers.iter().for_each(|header| by_header.entry(header).or_default().push(row.to_owned()));
    }
    by_header.into_iter().map(|(header, rows)| HeaderReport { header: header.clone(), rows }).collect()
}

fn answer(observation: &Observation) -> Option<&Answer> {
    match &observation.seen {
        Seen::Answer(answer) => Some(answer),
        _ => None,
    }
}
