//! The HTML report in a browser: sorting, colours, small screens, no errors, and no requests to the network.

use crate::{cargo::separate_test, step::Report, tools};

pub(crate) fn run(report: &mut Report) {
    if tools::rust(report) && tools::chromium(report).is_some() {
        report.step("the report in Chromium", &separate_test("browser"));
    }
}
