//! A report for scripts. In: a [`Report`]. Out: JSON.

use tierup_report::{Exporter, Json, json::pretty};

use crate::report::Report;

impl Exporter<Report> for Json {
    fn export(&self, report: &Report) -> String {
        pretty(report)
    }
}
