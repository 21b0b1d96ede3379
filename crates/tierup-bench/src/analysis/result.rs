//! The parts of an analysis: groups of rows, columns of figures, cells, verdicts. Reports lay them out; `report.json`
//! contains them as they are here.

use serde::Serialize;
use tierup_stats::Finding;

use super::{kept::Kept, parts::Gain, pods::RowCost};
use crate::record::{Check, Failures, Role, Trouble};

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    pub groups: Vec<Group>,
    /// The rows, in the order of the record's rows.
    pub rows: Vec<RowAnalysis>,
    /// The columns of the table, in order.
    pub columns: Vec<Column>,
    /// What the reader must know before trusting the figures: a busy machine, few blocks, an interruption.
    pub warnings: Vec<String>,
    /// How it was measured, in a sentence or two.
    pub method: Vec<String>,
}

impl Analysis {
    /// A row's cell for a figure.
    pub fn cell(&self, row: usize, figure: Figure) -> Option<&Cell> {
        let column = self.columns.iter().position(|column| column.figure == figure)?;
        self.rows[row].cells.get(column)
    }
}

/// Rows that are compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The group's name, e.g. `node`; empty if there is only one group.
    pub name: String,
    /// Its rows, by index.
    pub rows: Vec<usize>,
    /// The row that all others are compared with.
    pub reference: usize,
    /// A line for each row except the reference, in plain words. The row is compared with the reference, or with the
    /// rows of [`RowAnalysis::against`] if it has that.
    pub verdicts: Vec<Sentence>,
    /// What to do; `None` if nothing was compared.
    pub recommendation: Option<String>,
    /// Where the gain comes from; `None` if the rows do not say what they change, or CPU was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
}

/// A row's verdict in plain words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sentence {
    pub row: usize,
    pub verdict: Verdict,
    /// E.g. `3:native pays: a request costs 139 us of CPU instead of 3,770: 27 times less [26, 28]; …`.
    pub text: String,
}

/// Whether a row is worth its change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Pays,
    DoesNotPay,
    /// The whole interval lies within the threshold.
    NoDifference,
    CannotTell,
    /// CPU and throughput clearly contradict each other; only the user can judge that trade.
    Mixed,
    /// The row failed, or answers differently. Its figures do not count.
    Failed,
}

impl Verdict {
    /// The verdict as the sentences write it.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Pays => "pays",
            Verdict::DoesNotPay => "does not pay",
            Verdict::NoDifference => "makes no difference",
            Verdict::CannotTell => "cannot tell",
            Verdict::Mixed => "mixed",
            Verdict::Failed => "failed",
        }
    }

    /// [`words`](Self::words) for a row with this role: another commit is faster or slower, but does not "pay".
    pub fn words_of(self, role: Role) -> &'static str {
        match self {
            Verdict::Pays if role == Role::Revision => "is faster",
            Verdict::DoesNotPay if role == Role::Revision => "is slower",
            verdict => verdict.words(),
        }
    }
}

/// One row's figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowAnalysis {
    pub label: String,
    pub group: String,
    pub role: Role,
    pub check: Check,
    /// The cells, in the order of [`Analysis::columns`].
    pub cells: Vec<Cell>,
    /// Why its figures are doubtful, in a few words: `unsteady`, `generator-bound`, `cannot carry 350 req/s`.
    pub marks: Vec<String>,
    pub failures: Failures,
    /// The distinct reasons why it was not measured, or not further, with the log.
    pub troubles: Vec<Trouble>,
    /// Throughput divided by the ceiling's, 0..=1 and sometimes slightly above.
    pub share_of_ceiling: Option<f64>,
    /// The comparison that decides on a row with Rust, if the function was also tuned without Rust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// The cost at the user's peak, if they named prices and the row could be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<RowCost>,
    /// The hit rate of a row that keeps answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
}

impl RowAnalysis {
    /// Whether its gain is due to the run rather than to the requests.
    pub(super) fn is_flattered(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_flattered)
    }

    /// Whether it could not be measured, failed a request, or answers differently. If so, its figures do not count.
    pub fn failed(&self) -> bool {
        has_failed(&self.check, &self.troubles, &self.failures)
    }
}

/// See [`RowAnalysis::failed`].
pub(super) fn has_failed(check: &Check, troubles: &[Trouble], failures: &Failures) -> bool {
    matches!(check, Check::Failed { .. } | Check::Different { .. }) || !troubles.is_empty() || failures.total() > 0
}

/// The comparison of a row with Rust with the best row without it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// The indices of the rows that it is compared with: usually one, or several if blocks disagree on which is best.
    pub rows: Vec<usize>,
    pub throughput: Option<Times>,
    pub cpu_per_request: Option<Times>,
}

/// The ratio of a row's figure to another's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Times {
    pub ratio: f64,
    /// The interval of the ratio, corrected for the number of rows.
    pub interval: Option<(f64, f64)>,
    /// The other row's figure, on average.
    pub other: f64,
    #[serde(skip)]
    pub finding: Finding,
}

impl Against {
    pub(super) fn times(&self, figure: Figure) -> Option<&Times> {
        match figure {
            Figure::Throughput => self.throughput.as_ref(),
            Figure::CpuPerRequest => self.cpu_per_request.as_ref(),
            _ => None,
        }
    }

    /// The row that it is compared with, in words.
    pub(super) fn named(&self, analysis: &Analysis) -> String {
        let names: Vec<&str> = self.rows.iter().map(|row| analysis.rows[*row].label.as_str()).collect();
        match &names[..] {
            [one] => (*one).to_owned(),
            several => format!("the best of {}", several.join(", ")),
        }
    }
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    pub figure: Figure,
    /// E.g. `throughput`.
    pub title: &'static str,
    /// E.g. `req/s`.
    pub unit: &'static str,
    /// The source of its figures: `closed loop`, `open loop, 350 req/s`, `/proc`.
    pub from: String,
    pub better: Better,
}

/// The kind of figure that a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Requests per second, closed loop.
    Throughput,
    /// Milliseconds, open loop.
    AverageLatency,
    /// Milliseconds, open loop.
    P99,
    /// Body bytes of an answer, on average.
    ResponseBytes,
    /// Bytes at the peak: PSS where the system reports it, else RSS.
    Memory,
    /// Milliseconds, open loop.
    P50,
    /// Milliseconds, open loop.
    P95,
    /// The server's CPU microseconds per request, closed loop.
    CpuPerRequest,
    /// Failed requests of both experiments.
    Failures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    Higher,
    Lower,
}

impl From<Better> for tierup_stats::Better {
    fn from(better: Better) -> Self {
        match better {
            Better::Higher => tierup_stats::Better::Higher,
            Better::Lower => tierup_stats::Better::Lower,
        }
    }
}

/// One figure of one row.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cell {
    /// The figure in the column's unit; `None` if it could not be measured.
    pub value: Option<f64>,
    /// The interval of `value` over blocks.
    pub interval: Option<(f64, f64)>,
    /// The figure divided by the reference's, paired within blocks; `None` for the reference itself.
    pub ratio: Option<f64>,
    /// The interval of `ratio`, corrected for the number of rows.
    pub ratio_interval: Option<(f64, f64)>,
    /// Where the gain over the reference lies; `None` if there is nothing to compare.
    #[serde(skip)]
    pub finding: Option<Finding>,
    /// The figure divided by that of the first group's reference, for throughput and CPU per request, if there are
    /// several groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_first: Option<f64>,
    /// The interval of `of_first`, corrected for the number of rows in all groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_first_interval: Option<(f64, f64)>,
    /// Whether it is the best of its group in this column. The ceiling and rows that failed do not compete.
    pub best: bool,
    /// One value for each block.
    pub blocks: Vec<Option<f64>>,
}
