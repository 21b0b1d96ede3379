//! Markdown's tables. In: texts that are escaped already, and an [`Analysis`]. Out: tables.

use super::{cells, code_in_table, inline, numbers};
use crate::analysis::{Analysis, Group};

/// The article's columns, then the others.
pub(super) fn of_group(analysis: &Analysis, group: &Group) -> Vec<String> {
    let main = analysis.columns.len().min(cells::MAIN_COLUMNS);
    let tables = [(0..main, false), (main..analysis.columns.len(), cells::has_ceiling(analysis, group))];
    let tables = tables.into_iter().filter(|(columns, with_ceiling)| !columns.is_empty() || *with_ceiling);
    let table = |(columns, with_ceiling): (std::ops::Range<usize>, bool)| {
        let mut head: Vec<String> = columns
            .clone()
            .map(|index| {
                let column = &analysis.columns[index];
                format!("{}<br><sub>{}</sub>", inline(&cells::head(column)), inline(&column.from))
            })
            .collect();
        if with_ceiling {
            head.push("of ceiling<br><sub>throughput</sub>".to_owned());
        }
        let rows = group.rows.iter().map(|row| {
            let words = columns.clone().map(|column| cell(&cells::words(analysis, group, *row, column)));
            let share = with_ceiling.then(|| cells::share_of_ceiling(analysis, *row));
            let label = analysis.rows.get(*row).map_or_else(String::new, |row| code_in_table(&row.label));
            (label, words.chain(share).collect())
        });
        figures(&head, rows)
    };
    tables.map(table).collect()
}

/// A figure over its ratio, the best in bold.
pub(super) fn cell(words: &cells::Words) -> String {
    if words.absolute == numbers::MISSING {
        return words.absolute.clone();
    }
    let absolute = if words.best { format!("**{}**", words.absolute) } else { words.absolute.clone() };
    let spread = words.spread.as_ref().map(|spread| format!(" <sub>{spread}</sub>")).unwrap_or_default();
    match &words.relative {
        Some(relative) => format!("{absolute}<br>{relative}{spread}"),
        None => absolute,
    }
}

/// Columns of figures, to the right.
pub(super) fn figures(head: &[String], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    table(head, "--:", rows)
}

/// Columns of words, to the left.
pub(super) fn texts(head: &[String], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    table(head, ":--", rows)
}

fn table(head: &[String], alignment: &str, rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let line = |label: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
        format!("| {label} |{cells}")
    };
    let mut lines = vec![line("", head), line(":--", &vec![alignment.to_owned(); head.len()])];
    lines.extend(rows.map(|(label, cells)| line(&label, &cells)));
    lines.join("\n")
}
