//! The stages of CI, in order, one line each.

mod conformance;
mod docs;
mod end_to_end;
mod examples;
mod quick;
mod rust;

use crate::{
    cargo::separate_test,
    release,
    step::{Report, Stage},
    tools,
};

pub(crate) const ALL: [Stage; 7] = [
    Stage { name: "fmt", run: rust::format },
    Stage { name: "build", run: rust::build },
    Stage { name: "unit", run: rust::unit_tests },
    Stage { name: "browser", run: browser },
    Stage { name: "conformance", run: conformance::run },
    Stage { name: "end-to-end", run: end_to_end::run },
    Stage { name: "examples", run: examples::run },
];

/// Not in `ALL`: it runs parts of those stages.
pub(crate) const QUICK: Stage = Stage { name: "quick", run: quick::run };

/// Not in `ALL`: cargo-deny takes minutes to install, and advisories change independently of this repository.
pub(crate) const DENY: Stage = Stage { name: "deny", run: rust::deny };

/// Not in `ALL`: mdBook takes minutes to install, and a test of `tierup` checks the pages' links.
pub(crate) const DOCS: Stage = Stage { name: "docs", run: docs::run };

/// Not in `ALL`: compiling a small program takes minutes. It runs weekly.
pub(crate) const RELEASE: Stage = Stage { name: "release", run: release::test };

/// Runs all stages. After everything is built and installed, they run in parallel, as they wait for servers and timeouts
/// as often as they compute.
pub(crate) fn run_all(report: &mut Report) {
    let [format, build, unit, browser, conformance, end_to_end, examples] = &ALL;
    [format, build].into_iter().for_each(|stage| report.stage(stage));
    report.stages_side_by_side(&[&[unit, browser, end_to_end], &[conformance, examples]]);
}

/// The HTML report in a browser: sorting, colours, small screens, no errors, and no requests to the network.
fn browser(report: &mut Report) {
    if tools::rust(report) && tools::chromium(report).is_some() {
        report.step("the report in Chromium", &separate_test("browser"));
    }
}

pub(crate) fn find(name: &str) -> Option<&'static Stage> {
    ALL.iter().chain([&RELEASE]).find(|stage| stage.name == name)
}
