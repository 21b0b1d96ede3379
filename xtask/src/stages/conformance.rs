//! Every host on `conformance/`: all edge values through all functions and variants, then the host's own tests.

use std::collections::BTreeSet;

use crate::{
    cargo::{separate_test, without_figures},
    hosts,
    stages::examples,
    step::Report,
    tools,
};

const PROJECT: &str = "conformance";

pub(crate) fn run(report: &mut Report) {
    if !tools::of_all_hosts(report) {
        return;
    }
    // This test also builds the project.
    report.step("every host, every variant", &without_figures(separate_test("conformance")));
    report.step("the sandbox of 2:core", &without_figures(separate_test("sandbox")));
    report.side_by_side(2, &hosts::all(), |report, host| own_tests(report, &host.host));
    report.step("conformance: go's own tests with the race detector", &tools::go_race("conformance/go"));
    if let Some(command) = tools::java_foreign_test(report, PROJECT) {
        report.step("conformance: java's own tests with foreign functions", &command);
    }
}

/// The steps of this stage for some hosts.
pub(crate) fn of_hosts(report: &mut Report, hosts: &BTreeSet<String>) {
    if !tools::of_all_hosts(report) {
        return;
    }
    let mut every_variant = without_figures(separate_test("conformance"));
    let list = hosts.iter().map(String::as_str).collect::<Vec<_>>().join(",");
    every_variant.environment.push(("TIERUP_CONFORMANCE_HOSTS".into(), list.clone()));
    report.step(&format!("every variant of {list}"), &every_variant);
    hosts.iter().for_each(|host| own_tests(report, host));
}

fn own_tests(report: &mut Report, host: &str) {
    for (_, command) in examples::host_tests(PROJECT).iter().filter(|(one, _)| one == host) {
        report.step(&format!("conformance: {host}'s own tests"), command);
    }
}
