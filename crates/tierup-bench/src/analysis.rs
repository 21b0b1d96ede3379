//! From raw results to figures, verdicts and one recommendation. In: a [`Record`]. Out: an [`Analysis`], which the
//! reports only lay out: whatever they show was decided here.

mod cells;
mod cost;
mod figures;
mod marks;
mod recommendation;
mod sentences;
mod verdicts;
mod warnings;
mod without;

use serde::Serialize;
use tierup_report::numbers;
use tierup_stats::Finding;

pub use self::cost::{Ranged, RowCost};
pub(crate) use self::figures::{carried, together};
pub(crate) use self::warnings::busy;
pub use self::without::{Against, Times};
use self::{
    cells::{across, cells},
    figures::Figures,
};
use crate::record::{Check, Failures, Loop, Record, Role};

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Analysis {
    pub groups: Vec<Group>,
    /// In the order of the record's rows.
    pub rows: Vec<RowAnalysis>,
    /// The columns of the table, in order.
    pub columns: Vec<Column>,
    /// What the reader must know before believing any of it: a busy machine, few blocks, an interruption.
    pub warnings: Vec<String>,
    /// How it was measured, in a sentence or two.
    pub method: Vec<String>,
}

/// Derives everything from the raw results.
pub fn analyse(record: &Record) -> Analysis {
    let figures: Vec<Figures> = (0..record.rows.len()).map(|row| Figures::of(record, row)).collect();
    let columns = columns(record);
    let names: Vec<&str> = record.rows.iter().fold(Vec::new(), |mut names, row| {
        if !names.contains(&row.group.as_str()) {
            names.push(&row.group);
        }
        names
    });
    let mut groups = Vec::new();
    let mut cells_of_rows = vec![Vec::new(); record.rows.len()];
    for name in names {
        let rows: Vec<usize> = (0..record.rows.len()).filter(|row| record.rows[*row].group == name).collect();
        let reference = rows.iter().copied().find(|row| record.rows[*row].role == Role::Reference).unwrap_or(rows[0]);
        let members = Members { rows: &rows, reference };
        for (row, cells) in rows.iter().zip(cells(record, &figures, &columns, members)) {
            cells_of_rows[*row] = cells;
        }
        groups.push(Group { name: name.to_owned(), rows, reference, verdicts: Vec::new(), recommendation: None });
    }
    if groups.len() > 1 {
        across(&figures, &columns, groups[0].reference, &mut cells_of_rows);
    }
    let rows: Vec<RowAnalysis> = cells_of_rows
        .into_iter()
        .enumerate()
        .map(|(row, cells)| RowAnalysis {
            label: record.rows[row].label.clone(),
            group: record.rows[row].group.clone(),
            role: record.rows[row].role,
            check: record.rows[row].check.clone(),
            cells,
            marks: marks::of(record, row, &figures[row].failures),
            failures: figures[row].failures,
            troubles: figures[row].troubles.clone(),
            share_of_ceiling: None,
            against: None,
            cost: None,
        })
        .collect();
    let mut analysis =
        Analysis { groups, rows, columns, warnings: warnings::of(record), method: warnings::method(record) };
    cost::fill(record, &mut analysis);
    for group in 0..analysis.groups.len() {
        without::compare(record, &mut analysis, group);
        verdicts::decide(record, &mut analysis, group);
        analysis.groups[group].recommendation = recommendation::of(record, &analysis, group);
    }
    analysis
}

/// The rows of a group, by index, and the one that the others are compared with.
#[derive(Clone, Copy)]
struct Members<'a> {
    rows: &'a [usize],
    reference: usize,
}

impl Analysis {
    /// A row's cell of a figure.
    pub fn cell(&self, row: usize, figure: Figure) -> Option<&Cell> {
        let column = self.columns.iter().position(|column| column.figure == figure)?;
        self.rows[row].cells.get(column)
    }
}

fn columns(record: &Record) -> Vec<Column> {
    let closed = || format!("closed loop, {} connections", record.settings.connections);
    let open = || match record.settings.rate {
        Some(rate) => format!("open loop, {} req/s", numbers::rate(rate)),
        None => "open loop".to_owned(),
    };
    let proportional = record.slices(0, Loop::Closed).next().is_some()
        && record
            .blocks
            .iter()
            .flat_map(|block| &block.rows)
            .filter_map(|row| row.memory)
            .all(|memory| memory.peak.proportional.is_some());
    let memory = if proportional { "/proc, PSS at its peak" } else { "/proc, RSS at its peak" };
    let column = |figure, title, unit, from, better| Column { figure, title, unit, from, better };
    vec![
        column(Figure::Throughput, "throughput", "req/s", closed(), Better::Higher),
        column(Figure::AverageLatency, "average latency", "ms", open(), Better::Lower),
        column(Figure::P99, "p99", "ms", open(), Better::Lower),
        column(Figure::ResponseBytes, "average response", "bytes", closed(), Better::Lower),
        column(Figure::Memory, "memory", "bytes", memory.to_owned(), Better::Lower),
        column(Figure::P50, "p50", "ms", open(), Better::Lower),
        column(Figure::P95, "p95", "ms", open(), Better::Lower),
        column(Figure::CpuPerRequest, "CPU per request", "us", "/proc, closed loop".to_owned(), Better::Lower),
        column(Figure::Failures, "failures", "requests", "both loops".to_owned(), Better::Lower),
    ]
}

/// Rows that are compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// E.g. `node`; empty where there is only one.
    pub name: String,
    /// Its rows, by index.
    pub rows: Vec<usize>,
    /// The row that all others are compared with.
    pub reference: usize,
    /// A line for each row but the reference, in plain words. It is compared with the reference, or where it has
    /// [`RowAnalysis::against`], with that.
    pub verdicts: Vec<Sentence>,
    /// What to do; `None` where nothing was compared.
    pub recommendation: Option<String>,
}

/// A row's verdict in plain words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sentence {
    pub row: usize,
    pub verdict: Verdict,
    /// E.g. `3:native pays: one request costs 139 us of CPU instead of 3,770 (0.037x [0.036, 0.038]); …`.
    pub text: String,
}

/// Whether a row is worth it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Pays,
    DoesNotPay,
    /// The whole interval lies within the threshold.
    NoDifference,
    CannotTell,
    /// What decides is clear, and another measure as clearly says otherwise: a trade that nobody can judge but the user.
    Mixed,
    /// It failed, or answers differently: never a winner, whatever its figures.
    Failed,
}

impl Verdict {
    /// As the sentences say it.
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
}

/// One row's figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowAnalysis {
    pub label: String,
    pub group: String,
    pub role: Role,
    pub check: Check,
    /// In the order of [`Analysis::columns`].
    pub cells: Vec<Cell>,
    /// What makes its figures doubtful, short: `unsteady`, `generator-bound`, `cannot carry 350 req/s`.
    pub marks: Vec<String>,
    pub failures: Failures,
    /// What kept it from being measured, with its log, once for each different reason.
    pub troubles: Vec<crate::record::Trouble>,
    /// Throughput over the ceiling's throughput, 0..=1 and sometimes a little above.
    pub share_of_ceiling: Option<f64>,
    /// Where the function was also tuned without Rust, and this row has Rust: what decides on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// At the user's peak, where they named prices and the row could be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<RowCost>,
}

impl RowAnalysis {
    /// Whether it could not be measured, failed a request, or answers differently: then its figures say nothing of it.
    pub fn failed(&self) -> bool {
        failed(&self.check, &self.troubles, &self.failures)
    }
}

fn failed(check: &Check, troubles: &[crate::record::Trouble], failures: &Failures) -> bool {
    matches!(check, Check::Failed { .. } | Check::Different { .. }) || !troubles.is_empty() || failures.total() > 0
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    pub figure: Figure,
    /// E.g. `throughput`.
    pub title: &'static str,
    /// E.g. `req/s`.
    pub unit: &'static str,
    /// The experiment that feeds it: `closed loop`, `open loop, 350 req/s`, `/proc`.
    pub from: String,
    pub better: Better,
}

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Requests a second, closed loop.
    Throughput,
    /// Milliseconds, open loop.
    AverageLatency,
    /// Milliseconds, open loop.
    P99,
    /// Body bytes of an answer on average.
    ResponseBytes,
    /// Bytes, PSS where there is one, the peak.
    Memory,
    /// Milliseconds, open loop.
    P50,
    /// Milliseconds, open loop.
    P95,
    /// The server's CPU microseconds a request, closed loop.
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
    /// In the column's unit; `None` where it could not be measured.
    pub value: Option<f64>,
    /// The interval of `value` over blocks.
    pub interval: Option<(f64, f64)>,
    /// Over the reference's, paired within blocks; `None` for the reference itself.
    pub ratio: Option<f64>,
    /// The interval of `ratio`, corrected for the number of rows.
    pub ratio_interval: Option<(f64, f64)>,
    /// Where the gain over the reference lies; `None` where there is nothing to compare.
    #[serde(skip)]
    pub finding: Option<Finding>,
    /// Over that of the first group's reference, where there are several groups; of throughput and CPU per request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_first: Option<f64>,
    /// The interval of `of_first`, corrected for the number of rows in all groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_first_interval: Option<(f64, f64)>,
    /// The best of its group in this column; the ceiling and rows that failed are left out.
    pub best: bool,
    /// One value a block, for those who want to look.
    pub blocks: Vec<Option<f64>>,
}
