//! What each row answered, and which inputs are worth showing.

use std::collections::BTreeSet;

use tierup_parity::{Finding, Observation};

use super::report::Detail;

/// One row's answers and what comparing them came to, one for each input.
pub(super) struct Found {
    pub(super) label: String,
    pub(super) seen: Vec<Observation>,
    pub(super) findings: Vec<Finding>,
    /// What it did to others more often, or less, than the control, all inputs together.
    pub(super) effects: Option<String>,
    /// Headers that differ and do not count.
    pub(super) headers: BTreeSet<String>,
    /// What kept the row from answering, and the last lines of its log.
    pub(super) trouble: Option<(String, Vec<String>)>,
}

/// An input and the rows that answer it in the same wrong way.
pub(super) struct Grouped {
    /// Of the input.
    pub(super) index: usize,
    pub(super) rows: Vec<usize>,
    pub(super) detail: Detail,
    /// How many larger inputs of the same kind are answered so.
    pub(super) alike: usize,
}

/// An input, as it is shown.
pub(super) struct Shown<'a> {
    pub(super) size: usize,
    /// Inputs of one kind that are answered in the same way are shown once.
    pub(super) kind: Option<&'a str>,
}

/// Everything that was not alike: the smallest inputs first. Rows that are in trouble as a whole are not gone through
/// input by input.
pub(super) fn grouped<'a>(found: &[Found], input: impl Fn(usize) -> Shown<'a>) -> Vec<Grouped> {
    let mut groups: Vec<Grouped> = Vec::new();
    let inputs = found.first().map_or(0, |row| row.findings.len());
    for index in 0..inputs {
        let first = groups.len();
        for (row, one) in found.iter().enumerate().filter(|(_, one)| one.trouble.is_none()) {
            let Some(detail) = one.findings.get(index).and_then(Detail::of) else { continue };
            match groups[first..].iter_mut().find(|group| group.detail == detail) {
                Some(group) => group.rows.push(row),
                None => groups.push(Grouped { index, rows: vec![row], detail, alike: 0 }),
            }
        }
    }
    groups.sort_by_key(|group| input(group.index).size);
    let mut shown: Vec<Grouped> = Vec::new();
    for group in groups {
        let kind = input(group.index).kind;
        let like = |other: &&mut Grouped| {
            kind.is_some()
                && (input(other.index).kind, &other.rows, &other.detail) == (kind, &group.rows, &group.detail)
        };
        match shown.iter_mut().find(like) {
            Some(other) => other.alike += 1,
            None => shown.push(group),
        }
    }
    shown
}
