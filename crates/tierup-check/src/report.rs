//! The result of a check, as data: `--json` prints it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tierup_parity::{
    Answer, Difference, Differences, Finding, HeaderRules, Noise, Observation, Seen, Tally, Verdict, not_compared,
};
use tierup_report::{Exporter, Json, json::pretty};

use super::questions::{Origin, Question};
use crate::{counterexample::Counterexample, coverage::Coverage};

/// The version of the JSON: it rises when a field goes, or means something else. New fields do not raise it.
pub const FORMAT: u32 = 1;
/// The JSON schema of a report.
pub const SCHEMA: &str = include_str!("check.schema.json");

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: u32,
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
    /// The row that the others must agree with, e.g. `node 0`.
    pub control: String,
    /// How long this part took.
    pub seconds: f64,
    /// Number of inputs by origin.
    pub inputs: Vec<(String, usize)>,
    /// The control's answers by kind of request; empty for functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Statuses>,
    /// Whether the control answered every request of the file with an error.
    pub only_errors: bool,
    /// Headers that differ, but are not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<HeaderReport>,
    /// One entry per row that was compared with the control.
    pub rows: Vec<RowReport>,
    /// Rows that are not available, and why.
    pub left_out: Vec<(String, String)>,
    pub noise: NoiseReport,
    /// The input shapes of each function; empty for servers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<Coverage>,
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
    /// Calls to other services that the row made more or less often than the control, over all inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<String>,
    /// The reason why the row could not be checked, with the last lines of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<(String, Vec<String>)>,
}

/// Differences between the control's own two answers to the same question.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NoiseReport {
    /// Number of inputs with such differences.
    pub inputs: usize,
    pub found: Noise,
    /// One of these inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

/// An input with different answers, or with none.
#[derive(Debug, Clone, Serialize)]
pub struct Mismatch {
    /// The rows with this answer.
    pub rows: Vec<String>,
    /// Number of larger inputs of the same kind that these rows answer in the same way.
    pub alike: usize,
    /// The input in readable form.
    pub input: String,
    /// The input's size in bytes.
    pub size: usize,
    /// The origin of the input.
    pub origin: String,
    pub detail: Detail,
    /// Both answers, as a unified diff; empty if the differences suffice.
    pub diff: String,
    /// The command that repeats it.
    pub again: String,
    /// Whether the control differs from itself at this input.
    pub is_noise: bool,
    /// The same for programs.
    #[serde(flatten)]
    pub counterexample: Counterexample,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    Differences(Differences),
    /// There was nothing to compare.
    Error(String),
}

impl Detail {
    /// The detail of a finding, if it is worth showing.
    pub(crate) fn from_finding(finding: &Finding) -> Option<Detail> {
        match finding {
            Finding::Mismatch(differences) => Some(Detail::Differences(differences.clone())),
            Finding::Error(why) => Some(Detail::Error(why.clone())),
            Finding::Same | Finding::Skipped(_) => None,
        }
    }

    /// The first difference; `None` if there was nothing to compare.
    pub(crate) fn first(&self) -> Option<Difference> {
        match self {
            Detail::Differences(differences) => differences.list.first().cloned(),
            Detail::Error(_) => None,
        }
    }
}

impl RowReport {
    pub(crate) fn new(label: String, findings: &[Finding], trouble: Option<(String, Vec<String>)>) -> RowReport {
        let mut tally = Tally::default();
        tally.extend(findings);
        RowReport { label, verdict: tally.verdict(), tally, effects: None, trouble }
    }

    /// Different calls to other services make a row differ, even if every answer is the same.
    pub(crate) fn with_effects(self, effects: Option<String>) -> RowReport {
        let verdict = if effects.is_some() { Verdict::Differs } else { self.verdict };
        RowReport { verdict, effects, ..self }
    }

    /// If the control answers only with errors, agreeing with it proves nothing.
    pub(crate) fn with_only_errors(self, only_errors: bool) -> RowReport {
        let verdict = if only_errors && self.verdict == Verdict::Alike { Verdict::OnlyErrors } else { self.verdict };
        RowReport { verdict, ..self }
    }
}

impl Report {
    /// Whether all answers were compared and found alike.
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

/// A header, and the rows at which it differs from the control's.
#[derive(Debug, Clone, Serialize)]
pub struct HeaderReport {
    pub header: String,
    pub rows: Vec<String>,
}

/// The uncompared headers that differ between two servers, without `changing`: the control's own differences.
pub(crate) fn headers_unlike(
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

/// Groups the headers by name.
pub(crate) fn header_reports<'a>(rows: impl IntoIterator<Item = (&'a str, &'a BTreeSet<String>)>) -> Vec<HeaderReport> {
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

/// The control's answers to one kind of request.
#[derive(Debug, Clone, Serialize)]
pub struct Statuses {
    /// `from the requests file`, `kept`, `hostile`, `while the downstream fails`.
    pub requests: &'static str,
    /// Number of answers by class: `2xx`, or `no answer`.
    pub classes: BTreeMap<String, usize>,
}

impl Origin {
    pub(crate) const ALL: [Origin; 4] = [Origin::File, Origin::Kept, Origin::Hostile, Origin::Failing];

    /// The origin in words, for counts.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Origin::File => "from the requests file",
            Origin::Kept => "kept",
            Origin::Hostile => "hostile",
            Origin::Failing => "while the downstream fails",
        }
    }
}

/// One entry per kind of request.
pub(crate) fn statuses(questions: &[Question], seen: &[Observation]) -> Vec<Statuses> {
    let of = |origin: Origin| {
        let mut classes = BTreeMap::new();
        for (_, one) in questions.iter().zip(seen).filter(|(question, _)| question.origin == origin) {
            *classes.entry(class(&one.seen)).or_default() += 1;
        }
        Statuses { requests: origin.kind(), classes }
    };
    Origin::ALL.into_iter().map(of).filter(|statuses| !statuses.classes.is_empty()).collect()
}

/// Whether the control answered every request of the file with an error, so that rows agree only about errors.
pub(crate) fn are_all_errors(questions: &[Question], seen: &[Observation]) -> bool {
    let of_file = || questions.iter().zip(seen).filter(|(question, _)| question.origin == Origin::File);
    let is_good = |seen: &Seen| matches!(seen, Seen::Answer(answer) if answer.status < 400);
    of_file().any(|(_, one)| matches!(one.seen, Seen::Answer(_))) && !of_file().any(|(_, one)| is_good(&one.seen))
}

fn class(seen: &Seen) -> String {
    match seen {
        Seen::Answer(answer) => format!("{}xx", answer.status / 100),
        Seen::Skipped(_) => "not sent".to_owned(),
        Seen::Nothing(_) | Seen::Call(_) => "no answer".to_owned(),
    }
}
