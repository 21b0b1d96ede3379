//! The HTML report in a browser: sorting, colours, small screens, and that it neither complains nor asks the network.

use crate::{
    step::{Report, cargo},
    tools,
};

pub(crate) fn run(report: &mut Report) {
    if tools::rust(report) && tools::chromium(report) {
        report.step("the report in Chromium", &cargo(["test", "--package", "tierup-bench", "--test", "browser"]));
    }
}
