//! Small tables aligned by spaces, readable in terminals, logs and diffs. In: cells. Out: lines. Unlike
//! [`tables`](super::tables), they ignore the width.

use crate::{printable, table::Table};

/// The head and the rows as lines. All columns are left-aligned; the last one is not padded.
pub fn aligned<const COLUMNS: usize>(head: [&str; COLUMNS], rows: &[[String; COLUMNS]]) -> String {
    let head = head.map(str::to_owned);
    let all = || std::iter::once(&head).chain(rows);
    let mut widths = [0; COLUMNS];
    for row in all() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

/// Left-aligned labels and right-aligned figures, without ratios and intervals.
pub fn figures(table: &Table) -> String {
    let head = table.columns.iter().map(|column| column.head.clone());
    let rows = table.labels.iter().enumerate().map(|(row, label)| {
        let cells = table.columns.iter().map(|column| column.cells.get(row).map(|cell| cell.absolute.clone()));
        (printable::line(label), cells.map(Option::unwrap_or_default).collect())
    });
    let lines: Vec<(String, Vec<String>)> = std::iter::once((String::new(), head.collect())).chain(rows).collect();
    let length = |text: &String| text.chars().count();
    let label_width = lines.iter().map(|(label, _)| length(label)).max().unwrap_or(0);
    let width = |column: usize| lines.iter().map(|(_, cells)| length(&cells[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |(label, cells): &(String, Vec<String>)| {
        let figures = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        format!("{label:<label_width$}   {}", figures.collect::<Vec<_>>().join("   "))
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Cell, Column};

    #[test]
    fn columns_are_aligned_and_lines_end_without_spaces() {
        let rows = [["1:spawn".into(), "built".into()], ["2".into(), String::new()]];
        assert_eq!(aligned(["variant", ""], &rows), "variant\n1:spawn  built\n2");
    }

    #[test]
    fn figures_are_right_aligned() {
        let column = |head: &str, cells: [&str; 2]| Column {
            head: head.to_owned(),
            from: String::new(),
            cells: cells.map(Cell::new).to_vec(),
        };
        let table = Table {
            labels: vec!["rust".into(), "node 0".into()],
            columns: vec![column("us", ["1.00", "12"]), column("bytes", ["–", "7"])],
        };
        assert_eq!(figures(&table), "           us   bytes\nrust     1.00       –\nnode 0     12       7");
    }
}
