//! The tables of a group as texts. In: an [`Analysis`]. Out: tables that text and Markdown lay out.

use std::ops::Range;

use tierup_report::table::{Cell, Column, Table};

use super::cells;
use crate::analysis::{Analysis, Group};

/// The main columns, then the others, with the rows' shares of the ceiling if there is one.
pub(super) fn of_group(analysis: &Analysis, group: &Group) -> [Table; 2] {
    let main = analysis.columns.len().min(cells::MAIN_COLUMNS);
    let mut rest = table(analysis, group, main..analysis.columns.len());
    if cells::has_ceiling(analysis, group) {
        let shares = group.rows.iter().map(|row| Cell::new(cells::share_of_ceiling(analysis, *row)));
        let (head, from) = ("of ceiling".to_owned(), "throughput".to_owned());
        rest.columns.push(Column { head, from, cells: shares.collect() });
    }
    [table(analysis, group, 0..main), rest]
}

fn table(analysis: &Analysis, group: &Group, columns: Range<usize>) -> Table {
    let rows: Vec<_> = group.rows.iter().map(|row| (group, *row)).collect();
    let label = |row: &usize| analysis.rows.get(*row).map_or_else(String::new, |row| row.label.clone());
    let columns = columns.map(|index| {
        let column = &analysis.columns[index];
        let cells = cells::column(analysis, &rows, index);
        Column { head: cells::head(column), from: column.from.clone(), cells }
    });
    Table { labels: group.rows.iter().map(label).collect(), columns: columns.collect() }
}
