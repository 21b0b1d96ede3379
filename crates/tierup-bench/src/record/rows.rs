//! The rows of a run: one server each, what it is to the others, and what the check of its answers found.

use serde::{Deserialize, Serialize};
use tierup_subject::Trouble;

/// A row of the table: one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowRecord {
    /// E.g. `3:native`, or an address.
    pub label: String,
    /// The group that it is compared within, e.g. its host, `node`. Empty where there are no groups.
    pub group: String,
    pub role: Role,
    /// How much of a change it is, where rows are steps of a ladder: the greater, the more.
    pub step: u8,
    /// What the check found, before anything was measured.
    pub check: Check,
}

/// What a row is called wherever it stands alone: its label, with its group where it has one, `python 3:native`.
pub fn named(group: &str, label: &str) -> String {
    format!("{group} {label}").trim().to_owned()
}

impl RowRecord {
    pub(crate) fn named(&self) -> String {
        named(&self.group, &self.label)
    }
}

/// What a row is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// All others of its group are compared with it.
    Reference,
    /// What no change of the measured function can beat inside its server.
    Ceiling,
    /// An alternative that takes no change of the kind that the ladder is about: what candidates have to beat.
    Alternative,
    /// What may be recommended.
    Candidate,
}

/// What the check before measuring found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Check {
    /// All answers were as the reference's; how many were compared, and how.
    Same { compared: usize, how: String },
    /// Nothing to compare with.
    Alone,
    /// Answers differ: how many of how many, and the first one in words.
    Different { different: usize, compared: usize, first: String },
    /// It could not be asked.
    Failed { trouble: Trouble },
}
