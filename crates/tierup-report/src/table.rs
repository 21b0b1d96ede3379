//! A table before a format lays it out: texts in rows and columns, and which of them stand for "nothing" or "the best".

use crate::numbers;

/// A name and a value in words, for lists of settings and the like.
pub type Fact = (String, String);

/// Rows and columns of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// One label for each row.
    pub labels: Vec<String>,
    pub columns: Vec<Column>,
}

/// One column, with a cell for each row of its table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Title and unit, e.g. `throughput, req/s`.
    pub head: String,
    /// Where the figures come from, e.g. `closed loop`; may be empty.
    pub from: String,
    pub cells: Vec<Cell>,
}

/// One cell in words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// E.g. `21,700`; [`numbers::MISSING`] where there is no figure.
    pub absolute: String,
    /// The ratio to what the figure is compared with, e.g. `43.1x`.
    pub relative: Option<String>,
    /// The interval of the ratio, short, e.g. `±4%`.
    pub spread: Option<String>,
    /// Whether it is the best of its column.
    pub best: bool,
}

impl Cell {
    /// A cell without a figure.
    pub fn missing() -> Cell {
        Cell::new(numbers::MISSING)
    }

    /// A figure that is compared with nothing.
    pub fn new(absolute: impl Into<String>) -> Cell {
        Cell { absolute: absolute.into(), ..Cell::default() }
    }
}
