//! The cells of a group's rows: values with intervals, ratios paired within blocks, the best of each column.

use tierup_stats::{Blocks, Confidence, Ratio, Threshold, mean_estimate, positive_mean_estimate};

use super::{
    figures::Figures,
    result::{Better, Cell, Column, Figure},
};
use crate::record::{Record, Role};

/// The rows of a group, by index, and the row that the others are compared with.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    pub(super) rows: &'a [usize],
    pub(super) reference: usize,
}

/// For each row of the group, its cells in the order of the columns.
pub(super) fn cells(record: &Record, figures: &[Figures], columns: &[Column], members: Members<'_>) -> Vec<Vec<Cell>> {
    let Members { rows, reference } = members;
    // One measure decides on each row (`evidence.rs`), so each row is one comparison.
    let comparisons = rows.len().saturating_sub(1).max(1) as u32;
    let confidence = Confidence::default();
    let threshold = Threshold::new(record.settings.threshold).unwrap_or_default();
    let mut all: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let cell = |column: &Column| {
                let mut cell = cell(&figures[*row], column.figure, confidence);
                if *row != reference && column.figure != Figure::Failures {
                    let control = figures[reference].by_block(column.figure);
                    let ratio = ratio(&cell.blocks, &control, confidence.shared_by(comparisons));
                    cell.ratio = ratio.as_ref().map(Ratio::value);
                    cell.ratio_interval = ratio.as_ref().and_then(ends);
                    cell.finding = ratio.map(|ratio| threshold.finding(&ratio, column.better.into()));
                }
                cell
            };
            columns.iter().map(cell).collect()
        })
        .collect();
    for (index, column) in columns.iter().enumerate() {
        mark_best(record, figures, rows, &mut all, (index, column));
    }
    all
}

/// Compares the rows of all groups with the first group's reference, by the figures that decide between groups.
pub(super) fn across(figures: &[Figures], columns: &[Column], first: usize, cells: &mut [Vec<Cell>]) {
    let confidence = Confidence::default().shared_by(cells.len().saturating_sub(1).max(1) as u32);
    for (index, column) in columns.iter().enumerate() {
        if !matches!(column.figure, Figure::Throughput | Figure::CpuPerRequest) {
            continue;
        }
        let control = figures[first].by_block(column.figure);
        for cell in cells.iter_mut().enumerate().filter(|(row, _)| *row != first).map(|(_, cells)| &mut cells[index]) {
            let ratio = ratio(&cell.blocks, &control, confidence);
            cell.of_first = ratio.as_ref().map(Ratio::value);
            cell.of_first_interval = ratio.as_ref().and_then(ends);
        }
    }
}

fn cell(figures: &Figures, figure: Figure, confidence: Confidence) -> Cell {
    let blocks = figures.by_block(figure);
    let measured: Vec<f64> = blocks.iter().flatten().copied().collect();
    // A row that answered nothing in some block has a zero, which has no logarithm.
    let estimate = positive_mean_estimate(&measured, confidence).or_else(|_| mean_estimate(&measured, confidence)).ok();
    let interval =
        estimate.as_ref().and_then(|estimate| estimate.interval).map(|interval| (interval.low, interval.high));
    let mean = estimate.map(|estimate| estimate.value);
    let (value, interval) = match figure {
        Figure::AverageLatency | Figure::P50 | Figure::P95 | Figure::P99 => (figures.latency(figure), interval),
        Figure::Failures => (mean.map(|_| figures.failures.total() as f64), None),
        // The maximum, not the mean: a machine must have that much.
        Figure::Memory => (measured.iter().copied().max_by(f64::total_cmp), None),
        _ => (mean, interval),
    };
    Cell { value, interval, blocks, ..Cell::default() }
}

/// The ratio to the reference, over the blocks in which both were measured.
pub(super) fn ratio(candidate: &[Option<f64>], control: &[Option<f64>], confidence: Confidence) -> Option<Ratio> {
    let both = candidate.iter().zip(control).filter_map(|(mine, theirs)| mine.zip(*theirs));
    let (candidate, control): (Vec<f64>, Vec<f64>) = both.unzip();
    Blocks { candidate: &candidate, control: &control }.ratio(confidence).ok()
}

fn ends(ratio: &Ratio) -> Option<(f64, f64)> {
    ratio.interval().map(|interval| (interval.low, interval.high))
}

/// Marks the best cell of a column. The ceiling, which nobody can choose, and rows that failed do not compete.
fn mark_best(
    record: &Record,
    figures: &[Figures],
    rows: &[usize],
    cells: &mut [Vec<Cell>],
    (index, column): (usize, &Column),
) {
    if column.figure == Figure::Failures {
        return;
    }
    let better = |one: f64, other: f64| match column.better {
        Better::Higher => one > other,
        Better::Lower => one < other,
    };
    let competes = |place: &usize| {
        let row = rows[*place];
        record.rows[row].role != Role::Ceiling && !figures[row].failed(&record.rows[row].check)
    };
    let values: Vec<(usize, f64)> =
        (0..rows.len()).filter(competes).filter_map(|place| Some((place, cells[place][index].value?))).collect();
    let best = values.iter().copied().reduce(|best, one| if better(one.1, best.1) { one } else { best });
    if let Some((place, _)) = best.filter(|_| values.len() > 1) {
        cells[place][index].best = true;
    }
}
