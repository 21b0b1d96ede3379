//! A table before it is laid out: texts in rows and columns; some stand for "nothing" or "the best".

use crate::numbers;

/// A name and its value, e.g. of a setting.
pub type Fact = (String, String);

/// Rows and columns of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// One label per row.
    pub labels: Vec<String>,
    pub columns: Vec<Column>,
}

/// A column, with a cell per row of its table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Title and unit, e.g. `throughput, req/s`.
    pub head: String,
    /// The source of the figures, e.g. `closed loop`; may be empty.
    pub from: String,
    pub cells: Vec<Cell>,
}

/// A cell in words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The figure, e.g. `21,700`, or [`numbers::MISSING`].
    pub absolute: String,
    /// The ratio to the reference, e.g. `43.1x`.
    pub relative: Option<String>,
    /// The ratio's interval in short form, e.g. `±4%`.
    pub spread: Option<String>,
    /// Whether it is the best of its column.
    pub best: bool,
}

impl Cell {
    /// A cell without a figure.
    pub fn missing() -> Cell {
        Cell::new(numbers::MISSING)
    }

    /// A figure without a comparison.
    pub fn new(absolute: impl Into<String>) -> Cell {
        Cell { absolute: absolute.into(), ..Cell::default() }
    }
}
