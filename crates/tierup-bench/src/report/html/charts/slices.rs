//! Draws a figure for every slice of the closed loop, in order of time. Shows whether a row drifts, and how much it
//! varies.

use tierup_report::{
    chart::{Along, Drawing, Line, LineChart, Look, Marks, Up},
    numbers,
};

use crate::record::{Record, Slice};

/// Right answers per second. `None` if nothing was measured.
pub(in crate::report::html) fn throughput(record: &Record, looks: &[Look]) -> Option<Drawing> {
    let value = |slice: &Slice| (slice.seconds > 0.0).then(|| slice.throughput());
    draw(record, looks, &Measure { name: "Throughput", unit: "req/s", value: &value })
}

/// Processor time of the server's whole process tree per right answer. `None` if it could not be measured.
pub(in crate::report::html) fn cpu(record: &Record, looks: &[Look]) -> Option<Drawing> {
    let value = |slice: &Slice| Some(slice.server_cpu? / slice.answered as f64).filter(|cost| cost.is_finite());
    draw(record, looks, &Measure { name: "CPU per request", unit: "us", value: &value })
}

/// The figure to draw.
struct Measure<'a> {
    name: &'a str,
    unit: &'a str,
    value: &'a dyn Fn(&Slice) -> Option<f64>,
}

fn draw(record: &Record, looks: &[Look], measure: &Measure<'_>) -> Option<Drawing> {
    let Measure { name, unit, value } = *measure;
    let lines: Vec<Line> = looks.iter().enumerate().map(|(row, look)| line(record, row, look, value)).collect();
    let lines: Vec<Line> = lines.into_iter().filter(|line| !line.parts.is_empty()).collect();
    let blocks = record.blocks.len();
    let words = format!("{name} of each slice in the order of time, over {}.", numbers::counted(blocks, "block"));
    LineChart {
        words: &words,
        lines: &lines,
        unit,
        title: "block",
        along: Along::Parts(blocks),
        up: Up::ByRange,
        marks: Marks::Dots,
    }
    .draw()
}

/// One part of the line per block, with the slices at even steps.
fn line<'a>(record: &Record, row: usize, look: &'a Look, value: &dyn Fn(&Slice) -> Option<f64>) -> Line<'a> {
    let part = |(block, rows): (usize, &crate::record::Block)| {
        let slices = &rows.rows.get(row)?.closed;
        let place = |index: usize| block as f64 + (index as f64 + 0.5) / slices.len() as f64;
        let points = slices.iter().enumerate().filter_map(|(index, slice)| Some((place(index), value(slice)?)));
        let part: Vec<_> = points.collect();
        (!part.is_empty()).then_some(part)
    };
    Line { look, parts: record.blocks.iter().enumerate().filter_map(part).collect() }
}
