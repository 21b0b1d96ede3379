//! The rows of a run: one server each, with its role and the outcome of the check.

use serde::{Deserialize, Serialize};
use tierup_subject::Trouble;

/// A row of the table: one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowRecord {
    /// E.g. `3:native`, or an address.
    pub label: String,
    /// The group within which it is compared, e.g. its host, `node`. Empty if there are no groups.
    pub group: String,
    pub role: Role,
    /// Its step, if rows are steps of a ladder: the higher, the larger the change.
    pub step: u8,
    /// What it changes in the original server; `None` for that server itself, and if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// The outcome of the check before measuring.
    pub check: Check,
}

/// A row's name outside its group: its label, after its group if it has one, `python 3:native`.
pub fn named(group: &str, label: &str) -> String {
    format!("{group} {label}").trim().to_owned()
}

impl RowRecord {
    /// A row that takes no step and changes nothing, before its answers are checked.
    pub fn new(label: impl Into<String>, group: impl Into<String>, role: Role) -> RowRecord {
        RowRecord { label: label.into(), group: group.into(), role, step: 0, change: None, check: Check::Alone }
    }

    pub(crate) fn named(&self) -> String {
        named(&self.group, &self.label)
    }
}

/// The role of a row in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// All others of its group are compared with it.
    Reference,
    /// The limit for any change of the measured function inside its server.
    Ceiling,
    /// An alternative without Rust, which candidates have to beat.
    Alternative,
    /// A row that may be recommended.
    Candidate,
    /// Another implementation of a candidate's function, which is compared but never recommended, because no step
    /// includes the cost of writing and maintaining it.
    Implementation,
    /// The reference's row at another commit, which may be faster or slower, and is never recommended.
    Revision,
}

/// What a row changes in the original server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "part")]
pub enum Change {
    /// The function's code, in the same language.
    Code { language: String },
    /// The function's language, which becomes Rust.
    Language,
    /// The algorithm of the function in the row with this label.
    Algorithm { of: String },
    /// The server around the function, and its language.
    Server,
}

/// The outcome of the check before measuring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Check {
    /// All answers equal the reference's; how many were compared, and how.
    Same { compared: usize, how: String },
    /// There was nothing to compare with.
    Alone,
    /// Answers differ: how many of how many, and the first one in words.
    Different { different: usize, compared: usize, first: String },
    /// The server could not be checked.
    Failed { trouble: Trouble },
}
