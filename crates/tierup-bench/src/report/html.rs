//! A report as one HTML page that needs no network and no library. In: a [`Record`] and its [`Analysis`]. Out: the page,
//! with its style, its drawings (SVG, which needs no script) and a script that sorts tables and shows values of the
//! latency curve. Text from outside is escaped.

mod brief;
mod charts;
mod comparison;
mod run;
mod table;

use tierup_report::{Exporter, Html, html::Page};

use super::{RunReport, SideBySide, compare};
use crate::{analysis::Analysis, record::Record};

/// The CSS that only these pages use.
const OWN_RULES: &str = include_str!("../../templates/report.css");

impl Exporter<RunReport<'_>> for Html {
    fn export(&self, run: &RunReport<'_>) -> String {
        render(run.record, run.analysis)
    }
}

impl Exporter<SideBySide<'_>> for Html {
    fn export(&self, several: &SideBySide<'_>) -> String {
        compare(several.runs)
    }
}

/// The whole report.
pub fn render(record: &Record, analysis: &Analysis) -> String {
    run::page(record, analysis).render()
}

/// The whole report, as a page that can be a chapter of another one.
pub fn page(run: RunReport<'_>) -> Page {
    run::page(run.record, run.analysis)
}

/// The conclusions of a run with its tables, without its drawings: for a page that has another run's whole report.
pub fn brief(run: RunReport<'_>) -> Page {
    brief::page(run.record, run.analysis)
}

/// Several runs side by side: a table for each figure, and what differs between the runs.
pub fn compare(runs: &[RunReport<'_>]) -> String {
    comparison::page(compare::compare(runs))
}
