//! What there is to report: one run of servers, several side by side, or a run of calls. Each format implements
//! [`Exporter`](tierup_report::Exporter) for those that it supports.

use crate::{
    analysis::Analysis,
    calls::{figures::Figures, record::Record as CallsRecord},
    record::Record,
};

/// One run of servers: what it measured, and what follows from it.
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
