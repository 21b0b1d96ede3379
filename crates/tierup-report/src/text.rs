//! Text for a terminal, a log or a mail. In: paragraphs, lists and tables. Out: lines of limited width that are also
//! readable without colours.

mod aligned;
mod prose;
mod table;

pub use aligned::{aligned, figures};
pub use prose::Prose;
pub use table::tables;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Maximum number of characters per line; `None` for no limit.
    pub width: Option<u16>,
    pub colour: Colour,
}

/// Whether to use colours and bold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    /// With ANSI escape sequences.
    Ansi,
}
