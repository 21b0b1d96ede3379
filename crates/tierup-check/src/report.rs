//! The result of a check, as data: `--json` prints just this.

use serde::Serialize;
use tierup_parity::{Differences, Finding, Noise, Tally, Verdict};
use tierup_report::{Exporter, Json, json::pretty};

use super::{headers::HeaderReport, statuses::Statuses};

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub title: String,
    /// The command that repeats it.
    pub command: String,
    pub seed: u64,
    pub seconds: f64,
    pub parts: Vec<Part>,
    /// Notes for people.
    pub notes: Vec<String>,
}

impl Exporter<Report> for Json {
    fn export(&self, report: &Report) -> String {
        pretty(report)
    }
}

/// One comparison: the functions of one host, or the servers.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// `functions` or `servers`.
    pub what: &'static str,
    /// The row whose answers count, e.g. `node 0`.
    pub control: String,
    /// Number of inputs by origin.
    pub inputs: Vec<(String, usize)>,
    /// The control's answers by kind of request; empty for functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Statuses>,
    /// Whether the control answers every request of the file with an error.
    pub only_errors: bool,
    /// Headers that differ and do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<HeaderReport>,
    /// One for each that was compared with the control.
    pub rows: Vec<RowReport>,
    /// Rows that are not available, and why.
    pub left_out: Vec<(String, String)>,
    pub noise: NoiseReport,
    /// The smallest inputs first.
    pub mismatches: Vec<Mismatch>,
    /// Number of mismatches beyond these.
    pub not_shown: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct RowReport {
    pub label: String,
    pub tally: Tally,
    pub verdict: Verdict,
    /// Calls to other services that it made more often, or less often, than the control, over all inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<String>,
    /// The reason why it could not be asked, with the last lines of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<(String, Vec<String>)>,
}

/// Differences between the control's own two answers to the same question.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NoiseReport {
    /// At so many inputs.
    pub inputs: usize,
    pub found: Noise,
    /// One of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// An input that is not answered alike, or not at all.
#[derive(Debug, Clone, Serialize)]
pub struct Mismatch {
    /// The rows that answer it so.
    pub rows: Vec<String>,
    /// Number of larger inputs of the same kind that these rows answer in the same way.
    pub alike: usize,
    /// For people.
    pub input: String,
    /// In bytes.
    pub size: usize,
    /// The origin of the input.
    pub origin: String,
    pub detail: Detail,
    /// Both answers, as a unified diff; empty where the differences say it all.
    pub diff: String,
    /// The command that repeats it.
    pub again: String,
    /// Whether the control differs from itself at this input.
    pub is_noise: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    Differences(Differences),
    /// There was nothing to compare.
    Error(String),
}

impl Detail {
    /// Of a finding that is worth showing.
    pub(crate) fn of(finding: &Finding) -> Option<Detail> {
        match finding {
            Finding::Mismatch(differences) => Some(Detail::Differences(differences.clone())),
            Finding::Error(why) => Some(Detail::Error(why.clone())),
            Finding::Same | Finding::Skipped(_) => None,
        }
    }
}

impl RowReport {
    pub(crate) fn new(label: String, findings: &[Finding], trouble: Option<(String, Vec<String>)>) -> RowReport {
        let mut tally = Tally::default();
        tally.extend(findings);
        RowReport { label, verdict: tally.verdict(), tally, effects: None, trouble }
    }

    /// A row that did something else to others differs, though every answer may be the same.
    pub(crate) fn with_effects(self, effects: Option<String>) -> RowReport {
        let verdict = if effects.is_some() { Verdict::Differs } else { self.verdict };
        RowReport { verdict, effects, ..self }
    }

    /// Rows that agree with a control that answers nothing but errors agree about nothing.
    pub(crate) fn with_only_errors(self, only_errors: bool) -> RowReport {
        let verdict = if only_errors && self.verdict == Verdict::Alike { Verdict::OnlyErrors } else { self.verdict };
        RowReport { verdict, ..self }
    }
}

impl Report {
    /// Whether everything that was asked for was compared and found alike.
    pub fn is_clean(&self) -> bool {
        self.compared() && self.rows().all(|row| row.verdict == Verdict::Alike)
    }

    /// Whether anything was compared at all.
    pub fn compared(&self) -> bool {
        self.rows().any(|row| row.tally.compared() > 0)
    }

    pub fn rows(&self) -> impl Iterator<Item = &RowReport> {
        self.parts.iter().flat_map(|part| &part.rows)
    }
}
