//! Compares several runs. In: records and their analyses. Out: a [`Comparison`], which text, Markdown and HTML lay out
//! in the same way: the differences between the runs, and one table per figure, with a column for each run.

use tierup_report::{
    numbers,
    table::{Cell, Column, Fact},
};

use super::{RunReport, cells, facts};
use crate::{
    analysis::{Analysis, Figure},
    record::{Record, named},
};

pub(super) struct Comparison {
    pub(super) title: String,
    /// The runs, in the order of the columns.
    pub(super) runs: Vec<RunHead>,
    /// Warnings that the reader needs before comparing.
    pub(super) cautions: Vec<String>,
    /// Facts that are not the same in all runs, each with its value in every run.
    pub(super) differences: Vec<(String, Vec<String>)>,
    /// A row for each label of any run.
    pub(super) rows: Vec<RowKey>,
    pub(super) sections: Vec<Section>,
}

pub(super) struct RunHead {
    /// E.g. `run 1`.
    pub(super) name: String,
    /// What was measured, and when.
    pub(super) about: String,
}

/// One figure in all runs.
pub(super) struct Section {
    pub(super) figure: Figure,
    /// Title and unit.
    pub(super) head: String,
    /// The cells, by run and then by row.
    pub(super) runs: Vec<SectionRun>,
}

/// Rows of two runs with the same key are the same row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowKey {
    /// Empty where there are no groups.
    pub(super) group: String,
    pub(super) label: String,
}

/// One figure in one run: its source, and for each row the cell's text with the figure itself.
#[derive(Default)]
pub(super) struct SectionRun {
    pub(super) from: String,
    pub(super) cells: Vec<(Cell, Option<f64>)>,
}

impl Comparison {
    /// The columns of a section, for formats that do not sort.
    pub(super) fn columns(&self, section: &Section) -> Vec<Column> {
        let column = |(run, figures): (&RunHead, &SectionRun)| Column {
            head: run.name.clone(),
            from: figures.from.clone(),
            cells: figures.cells.iter().map(|(cell, _)| cell.clone()).collect(),
        };
        self.runs.iter().zip(&section.runs).map(column).collect()
    }
}

impl RowKey {
    pub(super) fn words(&self) -> String {
        named(&self.group, &self.label)
    }
}

const FIGURES: [Figure; 4] = [Figure::CpuPerRequest, Figure::Throughput, Figure::P99, Figure::Memory];

pub(super) fn compare(runs: &[RunReport<'_>]) -> Comparison {
    let mut titles: Vec<&str> = Vec::new();
    let mut rows: Vec<RowKey> = Vec::new();
    for RunReport { record, analysis } in runs {
        if !titles.contains(&record.provenance.title.as_str()) {
            titles.push(&record.provenance.title);
        }
        for row in &analysis.rows {
            let key = RowKey { group: row.group.clone(), label: row.label.clone() };
            if !rows.contains(&key) {
                rows.push(key);
            }
        }
    }
    let heads = runs.iter().enumerate().map(|(index, RunReport { record, .. })| RunHead {
        name: format!("run {}", index + 1),
        about: format!(
            "{}, {}, {}",
            record.provenance.title,
            facts::moment(&record.provenance.began),
            facts::extent(record)
        ),
    });
    let machines = differing(runs, facts::hardware);
    let versions = differing(runs, facts::versions);
    let settings = differing(runs, facts::settings);
    Comparison {
        title: titles.join(" / "),
        runs: heads.collect(),
        cautions: cautions(&machines, &settings),
        differences: machines.into_iter().chain(versions).chain(settings).collect(),
        sections: FIGURES.iter().filter_map(|figure| section(runs, &rows, *figure)).collect(),
        rows,
    }
}

fn cautions(machines: &[(String, Vec<String>)], settings: &[(String, Vec<String>)]) -> Vec<String> {
    let mut cautions = vec![if machines.is_empty() {
        "Absolute figures drift from run to run, also on one machine: what the runs say about each other, their ratios \
         say best."
    } else {
        "The runs come from different machines: absolute figures are not comparable between them, only the ratios \
         within each run are."
    }];
    if !settings.is_empty() {
        cautions.push("The runs were measured under different conditions, which are listed below.");
    }
    cautions.into_iter().map(str::to_owned).collect()
}

/// The facts whose values differ between runs; a dash stands for an unknown value.
fn differing(runs: &[RunReport<'_>], of: fn(&Record) -> Vec<Fact>) -> Vec<(String, Vec<String>)> {
    let known: Vec<Vec<Fact>> = runs.iter().map(|run| of(run.record)).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in known.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let value = |facts: &Vec<Fact>, name: &String| {
        let found = facts.iter().find(|(other, _)| other == name);
        found.map_or_else(|| numbers::MISSING.to_owned(), |(_, value)| value.clone())
    };
    let rows = names.into_iter().map(|name| (name.clone(), known.iter().map(|facts| value(facts, name)).collect()));
    rows.filter(|(_, values): &(String, Vec<String>)| values.windows(2).any(|pair| pair[0] != pair[1])).collect()
}

fn section(runs: &[RunReport<'_>], rows: &[RowKey], figure: Figure) -> Option<Section> {
    let columns = runs.iter().flat_map(|run| &run.analysis.columns);
    let head = cells::head(columns.into_iter().find(|column| column.figure == figure)?);
    Some(Section { figure, head, runs: runs.iter().map(|run| section_run(run.analysis, rows, figure)).collect() })
}

fn section_run(analysis: &Analysis, keys: &[RowKey], figure: Figure) -> SectionRun {
    let Some(index) = analysis.columns.iter().position(|column| column.figure == figure) else {
        return SectionRun { cells: vec![(Cell::missing(), None); keys.len()], ..SectionRun::default() };
    };
    let place = |key: &RowKey| {
        let row = analysis.rows.iter().position(|row| row.group == key.group && row.label == key.label)?;
        Some((analysis.groups.iter().find(|group| group.rows.contains(&row))?, row))
    };
    let places: Vec<_> = keys.iter().map(place).collect();
    let known: Vec<_> = places.iter().flatten().copied().collect();
    let mut words = cells::column(analysis, &known, index).into_iter();
    let cells = places.iter().map(|place| {
        let found = place.and_then(|(_, row)| Some((words.next()?, analysis.rows[row].cells.get(index)?.value)));
        found.unwrap_or_else(|| (Cell::missing(), None))
    });
    SectionRun { from: analysis.columns[index].from.clone(), cells: cells.collect() }
}
