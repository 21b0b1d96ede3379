//! Every host on `conformance/`: all edge values through all functions and variants, then the host's own tests.

use crate::{
    stages::examples,
    step::{Report, separate_test},
    tools,
};

pub(crate) fn run(report: &mut Report) {
    if !tools::of_all_hosts(report) {
        return;
    }
    // Builds the project too.
    report.step("every host, every variant", &separate_test("conformance"));
    for (host, command) in examples::host_tests("conformance") {
        report.step(&format!("conformance: {host}'s own tests"), &command);
    }
    report.step("conformance: go's own tests with the race detector", &tools::go_race("conformance/go"));
    if let Some(command) = tools::java_foreign_test(report, "conformance/java") {
        report.step("conformance: java's own tests with foreign functions", &command);
    }
    report.step("conformance: the generated package's tests", &tools::npm_test("conformance/.tierup/node"));
    report.step("conformance: the generated package's tests in Python", &tools::self_test("conformance"));
    report.step("conformance: the generated package's tests in Java", &tools::java_self_test("conformance"));
}
