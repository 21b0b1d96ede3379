//! Derives figures, verdicts and one recommendation from raw results. In: a [`Record`]. Out: an [`Analysis`].
//! Reports only lay it out: everything that they show is decided here.

mod cells;
mod cost;
mod estimates;
mod evidence;
mod figures;
mod gain;
mod kept;
mod marks;
mod need;
mod parts;
mod pods;
mod recommendation;
mod result;
mod sentences;
mod warnings;
mod without;

use tierup_report::numbers;

use self::{
    cells::{Members, across, cells},
    evidence::Evidence,
    figures::Figures,
    marks::generator_bound,
    recommendation::recommend,
    sentences::sentence,
};
use crate::record::{Loop, Record, Role};

pub(crate) use self::figures::{carried, together};
pub use self::kept::Kept;
pub use self::parts::{Cause, Gain, Part};
pub use self::pods::{Ranged, RowCost};
pub use self::result::{Against, Analysis, Better, Cell, Column, Figure, Group, RowAnalysis, Sentence, Times, Verdict};
pub(crate) use self::warnings::busy;

/// Derives everything from the raw results.
pub fn analyse(record: &Record) -> Analysis {
    let figures: Vec<Figures> = (0..record.rows.len()).map(|row| Figures::new(record, row)).collect();
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
        let (name, verdicts) = (name.to_owned(), Vec::new());
        groups.push(Group { name, rows, reference, verdicts, recommendation: None, gain: None });
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
            marks: marks::collect(record, row, &figures[row].failures),
            failures: figures[row].failures,
            troubles: figures[row].troubles.clone(),
            share_of_ceiling: None,
            against: None,
            cost: None,
            kept: kept::estimate(record, row),
        })
        .collect();
    let mut analysis =
        Analysis { groups, rows, columns, warnings: warnings::collect(record), method: warnings::method(record) };
    cost::fill(record, &mut analysis);
    for group in 0..analysis.groups.len() {
        without::compare(record, &mut analysis, group);
        decide(record, &mut analysis, group);
        analysis.groups[group].gain = gain::account(record, &analysis, &analysis.groups[group]);
        analysis.groups[group].recommendation = recommend(record, &analysis, group);
    }
    analysis
}

/// A verdict on every row of a group, with its sentence and its share of the ceiling.
fn decide(record: &Record, analysis: &mut Analysis, group: usize) {
    let members = analysis.groups[group].rows.clone();
    let reference = analysis.groups[group].reference;
    // A ceiling that failed, or that the load generator limited, bounds nothing.
    let bounds = |row: usize| !analysis.rows[row].failed() && !generator_bound(record, row);
    let ceiling = members.iter().copied().find(|row| record.rows[*row].role == Role::Ceiling && bounds(*row));
    let throughput =
        |analysis: &Analysis, row: usize| analysis.cell(row, Figure::Throughput).and_then(|cell| cell.value);
    for row in members.iter().copied() {
        let most = ceiling.and_then(|ceiling| throughput(analysis, ceiling)).filter(|most| *most > 0.0);
        analysis.rows[row].share_of_ceiling = throughput(analysis, row).zip(most).map(|(mine, most)| mine / most);
    }
    let sentences = members.iter().copied().filter(|row| *row != reference).map(|row| {
        let evidence = Evidence::gather(record, analysis, row, reference);
        let verdict = match evidence.verdict() {
            Verdict::Pays | Verdict::Mixed if analysis.rows[row].is_flattered() => Verdict::CannotTell,
            verdict => verdict,
        };
        Sentence { row, verdict, text: sentence(record, analysis, (row, reference), (&evidence, verdict)) }
    });
    analysis.groups[group].verdicts = sentences.collect();
}

/// The columns of the table, beginning with the one that decides.
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
        column(Figure::CpuPerRequest, "CPU per request", "us", "/proc, closed loop".to_owned(), Better::Lower),
        column(Figure::Throughput, "throughput", "req/s", closed(), Better::Higher),
        column(Figure::P99, "p99", "ms", open(), Better::Lower),
        column(Figure::ResponseBytes, "average response", "bytes", closed(), Better::Lower),
        column(Figure::Memory, "memory", "bytes", memory.to_owned(), Better::Lower),
        column(Figure::AverageLatency, "average latency", "ms", open(), Better::Lower),
        column(Figure::P50, "p50", "ms", open(), Better::Lower),
        column(Figure::P95, "p95", "ms", open(), Better::Lower),
        column(Figure::Failures, "failures", "requests", "both loops".to_owned(), Better::Lower),
    ]
}
