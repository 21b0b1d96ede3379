//! What a check found, as data: `--json` prints just this.

use serde::Serialize;
use tierup_parity::{Differences, Finding, Noise, Tally, Verdict};

use super::{headers::HeaderReport, statuses::Statuses};

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) title: String,
    /// What repeats it.
    pub(crate) command: String,
    pub(crate) seed: u64,
    pub(crate) seconds: f64,
    pub(crate) parts: Vec<Part>,
    /// What else there is to know.
    pub(crate) notes: Vec<String>,
}

/// One comparison: the functions of one host, or the servers.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Part {
    /// `functions` or `servers`.
    pub(crate) what: &'static str,
    /// Whose answers count, e.g. `node 0`.
    pub(crate) control: String,
    /// How many inputs there were, by where they come from.
    pub(crate) inputs: Vec<(String, usize)>,
    /// What the control answered, by kind of request. None for functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) statuses: Vec<Statuses>,
    /// Whether the control answers every request of the file with an error.
    pub(crate) only_errors: bool,
    /// Headers that differ and do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) headers: Vec<HeaderReport>,
    /// One for each that was compared with the control.
    pub(crate) rows: Vec<RowReport>,
    /// Rows that could not be had, and why.
    pub(crate) left_out: Vec<(String, String)>,
    pub(crate) noise: NoiseReport,
    /// The smallest inputs first.
    pub(crate) mismatches: Vec<Mismatch>,
    /// How many more there are.
    pub(crate) not_shown: usize,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct RowReport {
    pub(crate) label: String,
    pub(crate) tally: Tally,
    pub(crate) verdict: Verdict,
    /// What it did to others more often, or less, than the control, all inputs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effects: Option<String>,
    /// What kept it from answering as a whole, with the last lines of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<(String, Vec<String>)>,
}

/// What the control's own two answers to the same question differ in.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct NoiseReport {
    /// At so many inputs.
    pub(crate) inputs: usize,
    pub(crate) found: Noise,
    /// One of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) example: Option<String>,
}

/// An input that is not answered alike, or not at all.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Mismatch {
    /// The rows that answer it so.
    pub(crate) rows: Vec<String>,
    /// How many larger inputs of the same kind these rows answer in the same way.
    pub(crate) alike: usize,
    /// For people.
    pub(crate) input: String,
    /// In bytes.
    pub(crate) size: usize,
    /// Where the input comes from.
    pub(crate) origin: String,
    pub(crate) detail: Detail,
    /// Both answers, as a unified diff; empty where the differences say it all.
    pub(crate) diff: String,
    /// The command that repeats it.
    pub(crate) again: String,
    /// Whether the control differs from itself at this input.
    pub(crate) is_noise: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Detail {
    Differences(Differences),
    /// There was nothing to compare.
    Error(String),
}

impl Detail {
    /// Of a finding that is worth showing.
    pub(super) fn of(finding: &Finding) -> Option<Detail> {
        match finding {
            Finding::Mismatch(differences) => Some(Detail::Differences(differences.clone())),
            Finding::Error(why) => Some(Detail::Error(why.clone())),
            Finding::Same | Finding::Skipped(_) => None,
        }
    }
}

impl RowReport {
    pub(super) fn new(label: String, findings: &[Finding], trouble: Option<(String, Vec<String>)>) -> RowReport {
        let mut tally = Tally::default();
        tally.extend(findings);
        RowReport { label, verdict: tally.verdict(), tally, effects: None, trouble }
    }

    /// A row that did something else to others differs, though every answer may be the same.
    pub(super) fn with_effects(self, effects: Option<String>) -> RowReport {
        let verdict = if effects.is_some() { Verdict::Differs } else { self.verdict };
        RowReport { verdict, effects, ..self }
    }

    /// Rows that agree with a control that answers nothing but errors agree about nothing.
    pub(super) fn with_only_errors(self, only_errors: bool) -> RowReport {
        let verdict = if only_errors && self.verdict == Verdict::Alike { Verdict::OnlyErrors } else { self.verdict };
        RowReport { verdict, ..self }
    }
}

impl Report {
    /// Whether everything that was asked for was compared and found alike.
    pub(crate) fn is_clean(&self) -> bool {
        self.compared() && self.rows().all(|row| row.verdict == Verdict::Alike)
    }

    /// Whether anything was compared at all.
    pub(crate) fn compared(&self) -> bool {
        self.rows().any(|row| row.tally.compared() > 0)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &RowReport> {
        self.parts.iter().flat_map(|part| &part.rows)
    }
}
