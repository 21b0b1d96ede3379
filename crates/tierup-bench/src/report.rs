//! Reports: a [`Record`](crate::record::Record) and its [`Analysis`](crate::analysis::Analysis) in each format. In:
//! both of them, as one of the [documents](RunReport). Out: text for a terminal, Markdown, one HTML page or JSON, by the
//! [`Exporter`](tierup_report::Exporter) of each. Nothing is computed or decided here but how it looks.

pub mod html;
mod json;
pub mod markdown;
pub mod text;

mod across;
mod calls;
mod cells;
mod compare;
mod cost;
mod documents;
mod facts;
mod tables;

pub use documents::{CallsReport, RunReport, SideBySide};
