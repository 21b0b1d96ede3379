//! The page's tables of figures, which its script sorts. In: heads, and cells with the number to sort by. Out: markup.

use askama::Template;

use super::on_lines;
use crate::table::Cell;

pub struct Table {
    pub caption: String,
    pub heads: Vec<Head>,
    pub rows: Vec<TableRow>,
}

pub struct Head {
    pub title: String,
    pub unit: String,
    pub from: String,
    /// The order with the best first: `ascending` or `descending`.
    pub first: &'static str,
}

pub struct TableRow {
    pub label: String,
    /// CSS; may be empty.
    pub style: String,
    /// A word beside the label; may be empty.
    pub tag: &'static str,
    /// The tag's CSS class.
    pub class: &'static str,
    /// Doubts about the row's figures; may be empty.
    pub marks: String,
    pub cells: Vec<Figures>,
}

/// One cell. Empty texts are not shown.
#[derive(Default)]
pub struct Figures {
    /// The number to sort by. If empty, the cell comes last.
    pub value: String,
    pub absolute: String,
    pub relative: String,
    pub spread: String,
    /// Details, shown as a tooltip.
    pub title: String,
    pub best: bool,
}

impl Figures {
    /// A cell with these words, sorted by this value.
    pub fn new(cell: &Cell, value: Option<f64>) -> Figures {
        Figures {
            value: value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default(),
            absolute: cell.absolute.clone(),
            relative: cell.relative.clone().unwrap_or_default(),
            spread: cell.spread.clone().unwrap_or_default(),
            title: String::new(),
            best: cell.best,
        }
    }
}

#[derive(Template)]
#[template(path = "table.html")]
struct View<'a> {
    table: &'a Table,
}

impl Table {
    /// The table as markup.
    pub fn markup(&self) -> String {
        on_lines(&View { table: self })
    }
}
