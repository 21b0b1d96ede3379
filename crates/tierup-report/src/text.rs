//! Text for a terminal, a log or a mail. In: paragraphs, lists and tables. Out: lines that are no wider than asked, whose
//! meaning does not need their colours.

mod aligned;
mod prose;
mod table;

pub use aligned::{aligned, figures};
pub use prose::Prose;
pub use table::tables;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The most characters that a line may have; `None` for no limit.
    pub width: Option<u16>,
    pub colour: Colour,
}

/// Whether to emphasize by more than words and signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    /// By ANSI escape sequences.
    Ansi,
}
