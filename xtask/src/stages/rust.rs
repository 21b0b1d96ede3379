//! The checks of every Rust workspace.

use tierup_codegen::Command;

use crate::{
    changes::WASM_TOOL,
    step::{Report, cargo, mostly_waiting},
    tools,
};

/// The tests that a plain `cargo test` leaves out: they build whole projects, need a browser, or take minutes.
const SEPARATE_TESTS: [&str; 5] = ["conformance", "end_to_end", "browser", "rollout", "chaos"];

pub(crate) fn format(report: &mut Report) {
    if tools::component(report, "rustfmt") {
        report.step("cargo fmt", &cargo(["fmt", "--all", "--check"]));
        report.step("cargo fmt of the Wasm tools", &of_wasm_tool(&["fmt"], &["--check"]));
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
    wasm_tool(report);
    if tools::of_all_hosts(report) && tools::load_balancers(report) {
        report.step("cargo test", &mostly_waiting(cargo(["test", "--workspace", "--no-fail-fast"])));
    }
}

/// Lints and tests of the program of the Wasm tools, which is outside the workspace. The host that needs it tests what
/// it does in a project.
pub(crate) fn wasm_tool(report: &mut Report) {
    let target = ["--locked", "--target-dir", "target/wasm-tool"];
    if tools::component(report, "clippy") {
        let lints = of_wasm_tool(&["clippy", "--all-targets"], &[&target[..], &["--", "-D", "warnings"]].concat());
        report.step("cargo clippy of the Wasm tools", &lints);
    }
    if tools::rust(report) {
        report.step("cargo test of the Wasm tools", &of_wasm_tool(&["test"], &target));
    }
}

/// Cargo for that program; `rest` follows the manifest's path.
fn of_wasm_tool(verb: &[&str], rest: &[&str]) -> Command {
    let manifest = format!("{WASM_TOOL}/Cargo.toml");
    cargo(verb.iter().copied().chain(["--manifest-path", &manifest]).chain(rest.iter().copied()))
}

pub(crate) fn deny(report: &mut Report) {
    if tools::cargo_deny(report) {
        report.step("cargo deny", &cargo(["deny", "check"]));
        let manifest = format!("{WASM_TOOL}/Cargo.toml");
        let check = ["deny", "--manifest-path", &manifest, "check", "--config", "deny.toml"];
        report.step("cargo deny of the Wasm tools", &cargo(check));
    }
}
