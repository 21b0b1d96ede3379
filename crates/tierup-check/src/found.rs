//! Each row's answers, and the mismatches worth showing.

use std::collections::BTreeSet;

use tierup_parity::{Finding, Observation};

use super::report::Detail;

/// One row's answers and their findings, one per input.
pub(crate) struct Found {
    pub(crate) label: String,
    pub(crate) seen: Vec<Observation>,
    pub(crate) findings: Vec<Finding>,
    /// Calls to other services that the row made more or less often than the control, over all inputs.
    pub(crate) effects: Option<String>,
    /// Headers that differ, but are not compared.
    pub(crate) headers: BTreeSet<String>,
    /// The reason why the row could not be asked, and the last lines of its log.
    pub(crate) trouble: Option<(String, Vec<String>)>,
}

/// An input and the rows that answer it in the same wrong way.
pub(crate) struct Grouped {
    /// The input's index.
    pub(crate) index: usize,
    pub(crate) rows: Vec<usize>,
    pub(crate) detail: Detail,
    /// Number of larger inputs of the same kind with the same answers.
    pub(crate) alike: usize,
}

/// How to list an input: smaller ones first, and only one of each kind with the same wrong answers.
pub(crate) struct Shown<'a> {
    pub(crate) size: usize,
    /// Inputs of one kind with the same wrong answers are shown once.
    pub(crate) kind: Option<&'a str>,
}

/// All mismatches, the smallest inputs first. Skips rows that failed as a whole.
pub(crate) fn grouped<'a>(found: &[Found], input: impl Fn(usize) -> Shown<'a>) -> Vec<Grouped> {
    let mut groups: Vec<Grouped> = Vec::new();
    let inputs = found.first().map_or(0, |row| row.findings.len());
    for index in 0..inputs {
        let first = groups.len();
        for (row, one) in found.iter().enumerate().filter(|(_, one)| one.trouble.is_none()) {
            let Some(detail) = one.findings.get(index).and_then(Detail::from_finding) else { continue };
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
