//! The texts of a report of calls, the same for a terminal and for Markdown. In: a [`Record`] and its [`Figures`]. Out:
//! sections, one for each function, and sentences.

use tierup_report::{
    numbers::{self, count, counted, significant},
    table::{Cell, Column, Table},
};

use super::facts;
use crate::{
    analysis::busy,
    calls::{
        figures::{Figure, Figures, RowFigures},
        record::{CallsRow, Function, Record},
    },
    record::named,
};

/// The section of one function.
pub(super) struct Section {
    pub(super) name: String,
    /// A sentence about its arguments.
    pub(super) about: String,
    pub(super) table: Table,
    /// Rows that could not be timed, and why.
    pub(super) troubles: Vec<(String, String)>,
}

/// With fewer blocks, Student's t gives intervals that are too wide to decide much.
const BLOCKS: usize = 5;

pub(super) fn sections(record: &Record, figures: &Figures) -> Vec<Section> {
    let functions = record.functions.iter().zip(&figures.functions);
    let references = references(record);
    let timed = functions.filter(|(function, _)| !function.timed.is_empty());
    let section = |(function, figures): (&Function, &crate::calls::figures::FunctionFigures)| {
        let rows = record.rows.iter().zip(&function.rows).zip(&figures.rows);
        let (sound, troubled): (Vec<_>, Vec<_>) = rows.partition(|((_, checked), _)| checked.trouble.is_none());
        let mut table = Table { labels: Vec::new(), columns: columns(record, &references) };
        for ((row, checked), figures) in sound {
            table.labels.push(label(row));
            let cells = cells(figures, !references.is_empty(), checked.answer_bytes);
            table.columns.iter_mut().zip(cells).for_each(|(column, cell)| column.cells.push(Cell::new(cell)));
        }
        let troubles =
            troubled.into_iter().map(|((row, checked), _)| (label(row), checked.trouble.clone().unwrap_or_default()));
        Section { name: function.name.clone(), about: about(function), table, troubles: troubles.collect() }
    };
    timed.map(section).collect()
}

/// When and where the calls were measured.
pub(super) fn origin(record: &Record) -> [String; 2] {
    let done = record.blocks.len();
    let blocks = match record.settings.blocks {
        planned if planned == done => counted(planned, "block"),
        planned => format!("{done} of {}", counted(planned, "block")),
    };
    let rounds = counted(record.settings.rounds, "round");
    let lasted = numbers::duration(record.provenance.seconds);
    [format!("{blocks} of {rounds}, {lasted}"), facts::machine(&record.provenance)]
}

/// What a reader must know before trusting the figures.
pub(super) fn cautions(record: &Record) -> Vec<String> {
    let mut cautions = Vec::new();
    if record.provenance.interrupted {
        cautions.push("interrupted: the figures contain only what was timed before".to_owned());
    }
    cautions.extend(busy(&record.provenance.environment));
    if record.settings.blocks < BLOCKS {
        cautions.push(format!("only {}, so intervals are wide", counted(record.settings.blocks, "block")));
    }
    cautions
}

/// How the calls were measured.
pub(super) fn method(record: &Record, figures: &Figures) -> String {
    let settings = &record.settings;
    format!(
        "Each block starts every row's process afresh; rows take turns of {} or more in random order (seed {}). A block's \
         time is the median over turns for each argument list, then the mean over the lists. Intervals are of 95 % by \
         Student's t over blocks; those of comparisons hold together ({}).",
        milliseconds(settings.slice_seconds),
        settings.seed,
        counted(figures.comparisons as usize, "comparison"),
    )
}

fn milliseconds(seconds: f64) -> String {
    format!("{} ms", numbers::plain(seconds * 1e3))
}

fn label(row: &CallsRow) -> String {
    named(&row.group, &row.label)
}

fn about(function: &Function) -> String {
    let mut parts = vec![format!("{} from {}", counted(function.timed.len(), "argument list"), function.source)];
    if function.refused > 0 {
        parts.push(format!("{} more answered with an error", count(function.refused as f64)));
    }
    if function.left_out > 0 {
        parts.push(format!("{} more left out to save time", count(function.left_out as f64)));
    }
    parts.join("; ")
}

/// The rows that others are compared with; empty if a project has no baseline yet.
fn references(record: &Record) -> Vec<&str> {
    let mut references: Vec<&str> =
        record.rows.iter().filter(|row| row.is_reference).map(|row| row.label.as_str()).collect();
    references.dedup();
    references
}

/// The columns, with their heads and without cells.
fn columns(record: &Record, references: &[&str]) -> Vec<Column> {
    let alone = record.rows.first().map_or("", |row| row.label.as_str());
    let mut head = vec!["us per call".to_owned()];
    if !references.is_empty() {
        head.push(format!("times {}", references.join(", ")));
    }
    head.extend([format!("times {alone}"), format!("us over {alone}"), "bytes per answer".to_owned()]);
    head.into_iter().map(|head| Column { head, ..Column::default() }).collect()
}

fn cells(figures: &RowFigures, has_reference: bool, bytes: Option<f64>) -> Vec<String> {
    let missing = || numbers::MISSING.to_owned();
    let microseconds = |figure: Figure, write: fn(f64) -> String| {
        let ends = figure.interval.map(|(low, high)| format!(" [{}, {}]", write(low * 1e6), write(high * 1e6)));
        write(figure.value * 1e6) + &ends.unwrap_or_default()
    };
    let of_reference = figures.of_reference.map(|figure| numbers::ratio_within(figure.value, figure.interval));
    let mut cells = vec![figures.seconds.map_or_else(missing, |figure| microseconds(figure, significant))];
    if has_reference {
        cells.push(of_reference.unwrap_or_else(missing));
    }
    cells.extend([
        figures.of_alone.map_or_else(missing, numbers::ratio),
        figures.over_alone.map_or_else(missing, |figure| microseconds(figure, signed)),
        bytes.map_or_else(missing, count),
    ]);
    cells
}

/// `+1.20`, `-0.31`.
fn signed(value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", significant(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_in_microseconds() {
        let figure = |value: f64, low: f64, high: f64| Some(Figure { value, interval: Some((low, high)) });
        let figures = RowFigures {
            seconds: figure(61.2e-6, 60.8e-6, 61.6e-6),
            of_reference: figure(0.087, 0.085, 0.09),
            over_alone: figure(1.2e-6, -0.1e-6, 2.5e-6),
            of_alone: Some(1.02),
            blocks: Vec::new(),
        };
        let expected = ["61.2 [60.8, 61.6]", "11.5x less [11.1, 11.8]", "1.02x", "+1.20 [-0.100, +2.50]", "373"];
        assert_eq!(cells(&figures, true, Some(373.0)), expected);
        assert_eq!(cells(&RowFigures::default(), false, None), [numbers::MISSING; 4]);
    }
}
