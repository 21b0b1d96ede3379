//! Builds the cargo commands for the stages of `cargo xtask test`.

use std::{env, thread};

use tierup_codegen::Command;

use crate::repository::root;

/// Cargo in the repository's root, with clippy as rustc for workspace packages; lints are errors. The wrapper is a
/// setting, not a variable, as programs that cargo starts would inherit a variable.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let lints = format!("build.rustc-workspace-wrapper={:?}", root().join("xtask/lints.sh"));
    let words: Vec<&str> = arguments.into_iter().collect();
    let mut cargo = Command::new("cargo", ["--config", &lints].into_iter().chain(words));
    cargo.environment.push(("CLIPPY_ARGS".into(), "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__".into()));
    if env::var_os("CI").is_some() {
        // In CI no line changes between builds, and writing incremental data takes a quarter of rustc's time.
        cargo.environment.push(("CARGO_INCREMENTAL".into(), "0".into()));
    }
    cargo
}

/// For crates outside the workspace: shares a build folder with generated crates, so that common dependencies are
/// compiled once. `TIERUP_CACHE` in `.cargo/config.toml` names the same folder.
pub(crate) fn beside_generated(mut command: Command) -> Command {
    let folder = root().join("target/cache/build").display().to_string();
    command.environment.push(("CARGO_BUILD_BUILD_DIR".into(), folder));
    command
}

/// For tests that build projects without measuring them: optimizes less, to compile faster. One project of the
/// end-to-end tests is built as users build theirs. The examples' own crates get all settings of generated ones, so that
/// common dependencies are compiled once.
pub(crate) fn without_figures(mut tests: Command) -> Command {
    let settings =
        [("OPT_LEVEL", "1"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("PANIC", "unwind"), ("STRIP", "debuginfo")];
    let release = settings.map(|(setting, value)| (format!("CARGO_PROFILE_RELEASE_{setting}"), value.to_owned()));
    tests.environment.extend(release);
    tests
}

/// For tests that mostly wait for a server or a timeout: runs twice as many at a time as there are processors.
pub(crate) fn mostly_waiting(mut tests: Command) -> Command {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    tests.environment.push(("RUST_TEST_THREADS".into(), (processors * 2).to_string()));
    tests
}

/// Whether this is the weekly run, which includes everything too slow for each change.
pub(crate) fn is_long() -> bool {
    env::var_os("TIERUP_LONG").is_some_and(|value| value == "1")
}

/// A test that a plain `cargo test` skips. Cargo builds it for the whole workspace: for a single package, dependencies
/// would have other features and be compiled again.
pub(crate) fn separate_test(name: &str) -> Command {
    cargo(["test", "--workspace", "--test", name])
}
