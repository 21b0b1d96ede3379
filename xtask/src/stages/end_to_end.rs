//! What a user does, from an empty folder: `new`, `build`, `serve` at every tier, with requests in flight at the end.

use crate::{
    step::{Report, mostly_waiting, separate_test},
    tools,
};

pub(crate) fn run(report: &mut Report) {
    if tools::of_all_hosts(report) {
        report.step("from nothing to a served tier", &mostly_waiting(separate_test("end_to_end")));
    }
}
