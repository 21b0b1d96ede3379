//! Reports: a [`Record`](crate::record::Record) and its [`Analysis`](crate::analysis::Analysis) laid out for people. In:
//! both of them. Out: text for a terminal, Markdown, or one HTML page, as a `String`. Nothing is computed or decided
//! here but how it looks; each of the three also lays several runs side by side (`compare`).

pub mod html;
pub mod markdown;
pub mod text;

mod across;
mod calls;
mod cells;
mod compare;
mod cost;
mod facts;
mod printable;

use crate::numbers;
pub use compare::Run;
