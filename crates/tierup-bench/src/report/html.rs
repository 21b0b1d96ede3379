//! A report as one HTML page that needs no network and no library. In: a [`Record`] and its [`Analysis`]. Out: the page,
//! with its style, its drawings (SVG made here, so that they are there without scripts) and a script that sorts tables
//! and reads values off the latency curve. Nothing that comes from outside gets into it unescaped.

mod charts;
mod embed;
mod page;
mod palette;
mod scale;
mod svg;
mod table;

use super::{
    across, cells,
    compare::{self, Run},
    cost, facts, numbers, printable,
};
use crate::{analysis::Analysis, record::Record};

/// The whole report.
pub fn render(record: &Record, analysis: &Analysis) -> String {
    written(&page::ReportPage::new(record, analysis))
}

/// Several runs side by side: a table a figure, and what differs between the runs.
pub fn compare(runs: &[Run]) -> String {
    written(&page::ComparisonPage::new(compare::compare(runs)))
}

fn written(template: &impl askama::Template) -> String {
    // Writing into a String cannot fail, and no template calls anything else that can.
    template.render().unwrap_or_else(|error| format!("<!doctype html><title>report</title><p>{error}"))
}
