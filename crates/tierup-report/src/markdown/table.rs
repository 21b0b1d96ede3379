//! Markdown tables. In: a [`Table`], or escaped texts. Out: tables.

use super::escape::{code_in_table, inline};
use crate::{
    numbers,
    table::{Cell, Column, Fact, Table},
};

/// A table with its labels in code spans.
pub fn figures(table: &Table) -> String {
    labelled(table.labels.iter().map(|label| code_in_table(label)), &table.columns)
}

/// Right-aligned columns of figures, with labels that are Markdown.
pub fn labelled(labels: impl Iterator<Item = String>, columns: &[Column]) -> String {
    let head: Vec<String> = columns.iter().map(head).collect();
    let rows = labels.enumerate().map(|(row, label)| {
        let cells = columns.iter().filter_map(|column| column.cells.get(row)).map(cell);
        (label, cells.collect())
    });
    lines(&head, "--:", rows)
}

/// Left-aligned columns of words that are Markdown.
pub fn texts(head: &[String], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    lines(head, ":--", rows)
}

/// Names and values.
pub fn facts(facts: &[Fact]) -> String {
    texts(&[String::new()], facts.iter().map(|(name, value)| (inline(name), vec![inline(value)])))
}

fn head(column: &Column) -> String {
    match column.from.as_str() {
        "" => inline(&column.head),
        from => format!("{}<br><sub>{}</sub>", inline(&column.head), inline(from)),
    }
}

/// A figure above its ratio; bold if it is the best.
fn cell(words: &Cell) -> String {
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

fn lines(head: &[String], alignment: &str, rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let line = |label: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!(" {cell} |")).collect();
        format!("| {label} |{cells}")
    };
    let mut lines = vec![line("", head), line(":--", &vec![alignment.to_owned(); head.len()])];
    lines.extend(rows.map(|(label, cells)| line(&label, &cells)));
    lines.join("\n")
}
