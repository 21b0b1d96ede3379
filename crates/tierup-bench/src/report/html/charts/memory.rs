//! Draws resident memory over the run, which shows whether a row grows, and by how much.

use tierup_report::{
    chart::{Along, Drawing, Line, LineChart, Look, Marks, Up, extent},
    numbers,
};

use crate::record::{Block, Record};

const MEBIBYTE: f64 = 1_048_576.0;
/// The most points of a row within a block; more would not be visible.
const MOST_POINTS: usize = 60;

/// `None` if no memory could be measured.
pub(in crate::report::html) fn memory(record: &Record, looks: &[Look]) -> Option<Drawing> {
    let line = |(row, look)| Line { look, parts: record.blocks.iter().filter_map(|block| part(block, row)).collect() };
    let lines: Vec<Line> = looks.iter().enumerate().map(line).filter(|line| !line.parts.is_empty()).collect();
    let (_, high) = extent(&lines)?;
    let end =
        lines.iter().flat_map(|line| line.parts.iter().flatten()).map(|(minutes, _)| *minutes).fold(0.0, f64::max);
    let words = format!(
        "Resident memory over {} minutes; the most is {} MiB.",
        numbers::plain(end),
        numbers::significant(high)
    );
    LineChart {
        words: &words,
        lines: &lines,
        unit: "MiB",
        title: "minutes since the run began",
        along: Along::Values(end),
        up: Up::Linear,
        marks: Marks::None,
    }
    .draw()
}

/// One row's samples in one block, in order of time, as minutes and MiB.
fn part(block: &Block, row: usize) -> Option<Vec<(f64, f64)>> {
    let row = block.rows.get(row)?;
    let samples = row.closed.iter().chain(&row.open).flat_map(|slice| {
        slice.resident.iter().map(|(seconds, bytes)| (slice.at + f64::from(*seconds), *bytes as f64))
    });
    let mut samples: Vec<_> = samples.map(|(seconds, bytes)| (seconds / 60.0, bytes / MEBIBYTE)).collect();
    samples.sort_by(|one, other| one.0.total_cmp(&other.0));
    // The largest of neighbouring samples is kept, as readers look for peaks.
    let neighbours = samples.len().div_ceil(MOST_POINTS).max(1);
    let greatest = samples
        .chunks(neighbours)
        .filter_map(|chunk| chunk.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1)));
    let part: Vec<_> = greatest.collect();
    (!part.is_empty()).then_some(part)
}
