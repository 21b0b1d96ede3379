//! What every Rust workspace is checked for.

use crate::{
    step::{Report, cargo, mostly_waiting},
    tools,
};

/// The tests that a plain `cargo test` leaves out: they build whole projects, or need a browser.
const SEPARATE_TESTS: [&str; 3] = ["conformance", "end_to_end", "browser"];

pub(crate) fn format(report: &mut Report) {
    if tools::component(report, "rustfmt") {
        report.step("cargo fmt", &cargo(["fmt", "--all", "--check"]));
    }
}

pub(crate) fn lints(report: &mut Report) {
    if tools::component(report, "clippy") {
        let all = cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
        report.step("cargo clippy", &all);
        let separate = SEPARATE_TESTS.into_iter().flat_map(|test| ["--test", test]);
        let all = ["clippy", "--workspace"].into_iter().chain(separate).chain(["--", "-D", "warnings"]);
        report.step("cargo clippy of separate tests", &cargo(all));
    }
}

pub(crate) fn unit_tests(report: &mut Report) {
    if tools::of_all_hosts(report) {
        report.step("cargo test", &mostly_waiting(cargo(["test", "--workspace", "--no-fail-fast"])));
    }
}

pub(crate) fn deny(report: &mut Report) {
    if tools::cargo_deny(report) {
        report.step("cargo deny", &cargo(["deny", "check"]));
    }
}
