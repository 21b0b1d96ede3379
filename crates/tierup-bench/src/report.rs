//! Reports: a [`Record`](crate::record::Record) and its [`Analysis`](crate::analysis::Analysis) in each format. In:
//! both of them, as one of the [documents](RunReport). Out: text for a terminal, Markdown, one HTML page or JSON, by the
//! [`Exporter`](tierup_report::Exporter) of each. Only the layout is decided here, and no figure is computed.

mod across;
mod calls;
mod cells;
mod compare;
mod cost;
mod facts;
pub mod html;
mod json;
pub mod markdown;
mod tables;
pub mod text;

use crate::{
    analysis::Analysis,
    calls::{figures::Figures, record::Record as CallsRecord},
    record::Record,
};

/// One run of servers: its record and its analysis.
#[derive(Clone, Copy)]
pub struct RunReport<'a> {
    pub record: &'a Record,
    pub analysis: &'a Analysis,
}

impl<'a> RunReport<'a> {
    pub fn new(record: &'a Record, analysis: &'a Analysis) -> RunReport<'a> {
        RunReport { record, analysis }
    }
}

/// Several runs of servers, a column for each.
#[derive(Clone, Copy)]
pub struct SideBySide<'a> {
    pub runs: &'a [RunReport<'a>],
}

/// One run of calls.
#[derive(Clone, Copy)]
pub struct CallsReport<'a> {
    pub record: &'a CallsRecord,
    pub figures: &'a Figures,
}
