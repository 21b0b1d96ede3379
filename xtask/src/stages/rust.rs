//! The checks of every Rust workspace.

use std::sync::atomic::{AtomicBool, Ordering};

use tierup_codegen::Command;

use crate::{
    cargo::{beside_generated, cargo},
    changes::WASM_TOOLS,
    packages, programs,
    repository::this_machine,
    stages::examples,
    step::Report,
    tools,
};

/// The Wasm tool that has tests of its own.
const TESTED_ALONE: &str = "tools/wasm";

pub(crate) fn format(report: &mut Report) {
    if tools::component(report, "rustfmt") {
        report.step("cargo fmt", &Command::new("cargo", ["fmt", "--all", "--check"]));
        for folder in WASM_TOOLS.into_iter().chain(["fuzz", "conformance/instructions"]) {
            report.step(&format!("cargo fmt of {folder}"), &apart(folder, &["fmt"], &["--check"]));
        }
    }
}

/// Installs what is missing, and compiles everything that later stages use. They run in parallel: each would wait for
/// the other's compiler, and no two may install at a time.
pub(crate) fn build(report: &mut Report) {
    if !tools::rust(report) {
        return;
    }
    let is_ready = AtomicBool::new(true);
    let parts: [fn(&mut Report) -> bool; 2] = [compiled, installed];
    report.side_by_side(parts.len(), &parts, |report, part| {
        is_ready.fetch_and(part(report), Ordering::Relaxed);
    });
    if is_ready.into_inner() {
        examples::build(report);
    }
}

/// All test programs of the workspace, compiled with clippy as rustc, so that linting needs no second pass; and the Wasm
/// tools.
fn compiled(report: &mut Report) -> bool {
    let is_built = programs::build(report, &EVERYTHING).is_some();
    report.step("clippy of conformance", &of_conformance());
    WASM_TOOLS.into_iter().for_each(|tool| wasm_tool(report, tool));
    is_built
}

fn installed(report: &mut Report) -> bool {
    of_unit_tests(report) && tools::chromium(report).is_some()
}

/// The tools of the unit tests, which need all tools but a browser.
fn of_unit_tests(report: &mut Report) -> bool {
    tools::of_all_hosts(report) && tools::load_balancers(report) && tools::perf(report)
}

/// All targets, including the tests that a plain `cargo test` skips.
const EVERYTHING: [&str; 5] = ["--lib", "--bins", "--examples", "--test", "*"];

/// Lints `conformance/`, which is outside the workspace like a user's project. It has no dependencies.
fn of_conformance() -> Command {
    let place = ["--manifest-path", "conformance/Cargo.toml", "--target-dir", "target/conformance-lints", "--locked"];
    Command::new("cargo", ["clippy"].iter().chain(&place).chain(&["--all-targets", "--", "-D", "warnings"]).copied())
}

pub(crate) fn unit_tests(report: &mut Report) {
    if of_unit_tests(report)
        && let Some(mut built) = programs::build(report, &EVERYTHING)
    {
        let plain = packages::integration_tests();
        built.retain(|program| {
            program.test.as_ref().is_none_or(|test| plain.contains(&(program.package.clone(), test.clone())))
        });
        programs::run(report, built);
        report.step("tests of documents", &cargo(["test", "--workspace", "--doc", "--no-fail-fast"]));
    }
}

/// Lints and tests a Wasm tool, which is outside the workspace. Uses the same profile and build folder as tierup, so
/// that its dependencies are compiled once for both.
pub(crate) fn wasm_tool(report: &mut Report, tool: &str) {
    let Some(machine) = this_machine() else { return report.check("rustc -vV", false, "it names no host") };
    let rest = ["--locked", "--profile", "tool", "--target", &machine, "--target-dir", "target/wasm-tool"];
    // The sandbox tests (`crates/tierup/tests/sandbox`) cover the other tool: a few lines around a compiler's crates.
    let verb: &[_] = if tool == TESTED_ALONE { &["test"] } else { &["build"] };
    report.step(&format!("clippy and tests of {tool}"), &beside_generated(apart(tool, verb, &rest)));
}

/// Cargo for a crate outside the workspace; `rest` comes after the manifest's path.
fn apart(folder: &str, verb: &[&str], rest: &[&str]) -> Command {
    let manifest = format!("{folder}/Cargo.toml");
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
