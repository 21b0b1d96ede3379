//! Lays out the rows of several groups in one table, each compared with its own group's reference and with the first
//! group's. In: an [`Analysis`]. Out: columns of texts, for a table in any report.

use tierup_report::{
    numbers,
    table::{Cell, Column, Table},
};

use super::cells;
use crate::{
    analysis::{Analysis, Figure},
    record::named,
};

/// A table of rows of all groups.
pub(super) struct Across {
    /// The label of each row, with its group.
    pub(super) labels: Vec<String>,
    pub(super) columns: Vec<AcrossColumn>,
    /// A sentence that says what the ratios refer to.
    pub(super) note: String,
}

pub(super) struct AcrossColumn {
    pub(super) column: Column,
    /// The numbers by which the cells are sorted.
    pub(super) values: Vec<Option<f64>>,
    /// Whether the cells are ratios to the first group's reference, rather than figures.
    pub(super) of_first: bool,
}

impl Across {
    /// Labels and columns, for formats that do not sort.
    pub(super) fn table(&self) -> Table {
        let columns = self.columns.iter().map(|column| column.column.clone());
        Table { labels: self.labels.clone(), columns: columns.collect() }
    }
}

const FIGURES: [Figure; 2] = [Figure::CpuPerRequest, Figure::Throughput];

/// `None` if there is only one group, or nothing to compare with.
pub(super) fn across(analysis: &Analysis) -> Option<Across> {
    let [first, _, ..] = &analysis.groups[..] else { return None };
    let first = first.reference;
    let control = analysis.rows.get(first).map(|row| named(&row.group, &row.label))?;
    let rows: Vec<_> =
        analysis.groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group, *row))).collect();
    let mut columns = Vec::new();
    for figure in FIGURES {
        let Some(index) = analysis.columns.iter().position(|column| column.figure == figure) else { continue };
        let cell = |row: usize| analysis.rows.get(row).and_then(|row| row.cells.get(index));
        let column = &analysis.columns[index];
        columns.push(AcrossColumn {
            column: Column {
                head: cells::head(column),
                from: column.from.clone(),
                // The best cell is marked in the table of its group, not here.
                cells: cells::column(analysis, &rows, index)
                    .into_iter()
                    .map(|cell| Cell { best: false, ..cell })
                    .collect(),
            },
            values: rows.iter().map(|(_, row)| cell(*row).and_then(|cell| cell.value)).collect(),
            of_first: false,
        });
        let ratio = |row: usize| match cell(row)? {
            cell if row == first => cell.value.map(|_| (1.0, None)),
            cell => Some((cell.of_first?, cell.of_first_interval)),
        };
        let ratios = rows.iter().map(|(_, row)| ratio(*row));
        let ratios: Vec<_> = ratios.collect();
        if ratios.iter().all(Option::is_none) {
            continue;
        }
        columns.push(AcrossColumn {
            column: Column { head: format!("times {control}"), from: column.title.to_owned(), cells: times(&ratios) },
            values: ratios.iter().map(|ratio| ratio.map(|(value, _)| value)).collect(),
            of_first: true,
        });
    }
    if !columns.iter().any(|column| column.of_first) {
        return None;
    }
    let labels = rows.iter().filter_map(|(_, row)| analysis.rows.get(*row));
    Some(Across {
        labels: labels.map(|row| named(&row.group, &row.label)).collect(),
        columns,
        note: format!("1.00x is each group's own reference; columns with its name in the head compare with {control}."),
    })
}

/// A ratio, and the ends of its interval if it has one.
type Times = Option<(f64, Option<(f64, f64)>)>;

fn times(ratios: &[Times]) -> Vec<Cell> {
    let with_ends: Vec<_> = ratios.iter().map(|ratio| ratio.and_then(|(value, ends)| Some((value, ends?)))).collect();
    let cell = |(ratio, spread): (&Times, Option<String>)| {
        let Some((value, _)) = ratio else { return Cell::missing() };
        Cell::new(format!("{} {}", numbers::ratio(*value), spread.unwrap_or_default()).trim_end())
    };
    ratios.iter().zip(numbers::spreads(&with_ends)).map(cell).collect()
}
