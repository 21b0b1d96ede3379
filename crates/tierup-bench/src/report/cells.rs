//! The texts of a table's cells and heads. In: an [`Analysis`]. Out: the texts that every report puts into its cells.

use tierup_report::{numbers, table::Cell};

use crate::{
    analysis::{Analysis, Column, Figure, Group, Sentence, Verdict},
    record::Role,
};

/// How many of the columns form the first table. The second one has the other columns for the same rows.
pub(super) const MAIN_COLUMNS: usize = 5;

/// A column's cells of these rows, each compared within its group.
pub(super) fn column(analysis: &Analysis, rows: &[(&Group, usize)], column: usize) -> Vec<Cell> {
    let figure = analysis.columns[column].figure;
    let derived = |row: usize| analysis.rows.get(row)?.cells.get(column).filter(|cell| cell.value.is_some());
    let ratios: Vec<_> =
        rows.iter().map(|(_, row)| derived(*row).and_then(|cell| cell.ratio.zip(cell.ratio_interval))).collect();
    let cell = |((group, row), spread): (&(&Group, usize), Option<String>)| {
        let Some((cell, value)) = derived(*row).and_then(|cell| Some((cell, cell.value?))) else {
            return Cell::missing();
        };
        let is_reference = *row == group.reference && figure != Figure::Failures;
        let one = is_reference.then(|| numbers::ratio(1.0));
        Cell {
            absolute: absolute(figure, value),
            relative: cell.ratio.map(numbers::ratio).or(one),
            spread,
            best: cell.best,
        }
    };
    rows.iter().zip(numbers::spreads(&ratios)).map(cell).collect()
}

/// A figure alone. Sizes have their unit in the cell; the unit of others is the column's.
pub(super) fn absolute(figure: Figure, value: f64) -> String {
    match figure {
        Figure::ResponseBytes | Figure::Memory => numbers::bytes(value),
        Figure::Failures => numbers::count(value),
        _ => numbers::significant(value),
    }
}

/// A column's title and unit: `throughput, req/s`. Sizes have their unit in the cell.
pub(super) fn head(column: &Column) -> String {
    match unit(column) {
        Some(unit) => format!("{}, {unit}", column.title),
        None => column.title.to_owned(),
    }
}

/// The unit that is not in the cells.
pub(super) fn unit(column: &Column) -> Option<&'static str> {
    let in_cells = matches!(column.figure, Figure::ResponseBytes | Figure::Memory | Figure::Failures);
    (!in_cells && !column.unit.is_empty()).then_some(column.unit)
}

/// A row's share of the ceiling: `84 %`.
pub(super) fn share_of_ceiling(analysis: &Analysis, row: usize) -> String {
    let share = analysis.rows.get(row).and_then(|row| row.share_of_ceiling);
    share.map_or_else(|| numbers::MISSING.to_owned(), numbers::share)
}

/// The verdict with which a sentence is marked; `None` for the ceiling, which nobody can choose.
pub(super) fn verdict(analysis: &Analysis, sentence: &Sentence) -> Option<Verdict> {
    let role = analysis.rows.get(sentence.row).map(|row| row.role);
    (role != Some(Role::Ceiling)).then_some(sentence.verdict)
}

/// Whether any row of the group has a share of a ceiling.
pub(super) fn has_ceiling(analysis: &Analysis, group: &Group) -> bool {
    group.rows.iter().filter_map(|row| analysis.rows.get(*row)).any(|row| row.share_of_ceiling.is_some())
}
