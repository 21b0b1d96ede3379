//! The checks of every Rust workspace.

use tierup_codegen::Command;

use crate::{
    changes::WASM_TOOLS,
    packages,
    step::{Report, cargo, mostly_waiting},
    tools,
};

/// The program of the Wasm tools that has tests of its own.
const TESTED_ALONE: &str = "tools/wasm";

pub(crate) fn format(report: &mut Report) {
    if tools::component(report, "rustfmt") {
        report.step("cargo fmt", &cargo(["fmt", "--all", "--check"]));
        for tool in WASM_TOOLS {
            report.step(&format!("cargo fmt of {tool}"), &of_wasm_tool(tool, &["fmt"], &["--check"]));
        }
    }
}

pub(crate) fn lints(report: &mut Report) {
    if tools::component(report, "clippy") {
        let all = cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
        report.step("cargo clippy", &all);
        let separate = packages::separate_tests();
        let separate = separate.iter().flat_map(|test| ["--test", test]);
        let all = ["clippy", "--workspace"].into_iter().chain(separate).chain(["--", "-D", "warnings"]);
        report.step("cargo clippy of separate tests", &cargo(all));
        report.step("cargo clippy of conformance", &of_conformance());
    }
}

/// Lints of `conformance/`, which is outside the workspace, as a user's project is. It has no dependencies.
fn of_conformance() -> Command {
    let place = ["--manifest-path", "conformance/Cargo.toml", "--target-dir", "target/conformance-lints", "--locked"];
    cargo(["clippy"].iter().chain(&place).chain(&["--all-targets", "--", "-D", "warnings"]).copied())
}

pub(crate) fn unit_tests(report: &mut Report) {
    WASM_TOOLS.into_iter().for_each(|tool| wasm_tool(report, tool));
    let tools = tools::of_all_hosts(report) && tools::load_balancers(report) && tools::perf(report);
    if tools && report.step("cargo test: build", &cargo(["test", "--workspace", "--no-run"])) {
        // Cargo runs one program of tests at a time. Here, two: one that waits, and one that computes or compiles.
        report.side_by_side(&[SERVERS, OTHERS].map(str::to_owned), half_of_the_tests);
    }
}

/// The two halves of what a plain `cargo test` runs.
const SERVERS: &str = "servers";
const OTHERS: &str = "others";

/// The tests that start servers, and mostly wait for them.
const OF_SERVERS: [&str; 6] = ["commands", "haproxy", "load_balancers", "nginx", "proxy", "real_servers"];

fn half_of_the_tests(report: &mut Report, half: &str) {
    let all = packages::integration_tests();
    let tests = all.iter().map(String::as_str).filter(|test| (half == SERVERS) == OF_SERVERS.contains(test));
    let tests = tests.flat_map(|test| ["--test", test]);
    let units: &[_] = if half == SERVERS { &[] } else { &["--lib", "--bins"] };
    let command = ["test", "--workspace", "--no-fail-fast"].into_iter().chain(units.iter().copied()).chain(tests);
    report.step(&format!("cargo test of {half}"), &mostly_waiting(cargo(command)));
    if half == OTHERS {
        report.step("cargo test of documents", &cargo(["test", "--workspace", "--doc", "--no-fail-fast"]));
    }
}

/// Lints and tests of a program of the Wasm tools, which is outside the workspace. The hosts that need it test what it does
/// in a project.
pub(crate) fn wasm_tool(report: &mut Report, tool: &str) {
    let target = ["--locked", "--target-dir", "target/wasm-tool"];
    if tools::component(report, "clippy") {
        let lints =
            of_wasm_tool(tool, &["clippy", "--all-targets"], &[&target[..], &["--", "-D", "warnings"]].concat());
        report.step(&format!("cargo clippy of {tool}"), &lints);
    }
    // The other one, a compiler's crates and few lines of ours, is tested by the sandbox: `crates/tierup/tests/sandbox`.
    if tool == TESTED_ALONE && tools::rust(report) {
        report.step(&format!("cargo test of {tool}"), &of_wasm_tool(tool, &["test"], &target));
    }
}

/// Cargo for such a program; `rest` follows the manifest's path.
fn of_wasm_tool(tool: &str, verb: &[&str], rest: &[&str]) -> Command {
    let manifest = format!("{tool}/Cargo.toml");
    cargo(verb.iter().copied().chain(["--manifest-path", &manifest]).chain(rest.iter().copied()))
}

pub(crate) fn deny(report: &mut Report) {
    if tools::cargo_deny(report) {
        report.step("cargo deny", &cargo(["deny", "check"]));
        for tool in WASM_TOOLS {
            let manifest = format!("{tool}/Cargo.toml");
            let check = ["deny", "--manifest-path", &manifest, "check", "--config", "deny.toml"];
            report.step(&format!("cargo deny of {tool}"), &cargo(check));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that was renamed would run in the other half, beside what computes.
    #[test]
    fn the_tests_of_servers_exist() {
        let all = packages::integration_tests();
        let missing: Vec<_> = OF_SERVERS.into_iter().filter(|test| !all.contains(*test)).collect();
        assert!(missing.is_empty(), "no integration tests of a plain `cargo test`: {missing:?}");
    }
}
