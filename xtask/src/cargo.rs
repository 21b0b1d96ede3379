//! The ways in which stages call cargo.

use std::{env, thread};

use tierup_codegen::Command;

use crate::repository::root;

/// Cargo, in the repository's root, with clippy in rustc's place for packages of the workspace: it compiles, and a lint is
/// an error. A setting rather than a variable, which the programs that cargo starts would inherit.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let lints = format!("build.rustc-workspace-wrapper={:?}", root().join("xtask/lints.sh"));
    let words: Vec<&str> = arguments.into_iter().collect();
    let mut cargo = Command::new("cargo", ["--config", &lints].into_iter().chain(words));
    cargo.environment.push(("CLIPPY_ARGS".into(), "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__".into()));
    if env::var_os("CI").is_some() {
        // In CI no line changes between builds, and rustc's incremental data costs a quarter of its time.
        cargo.environment.push(("CARGO_INCREMENTAL".into(), "0".into()));
    }
    cargo
}

/// For crates outside the workspace: dependencies that they share with what tierup generates are compiled once for both.
/// The folder is that of `TIERUP_CACHE` in `.cargo/config.toml`.
pub(crate) fn beside_generated(mut command: Command) -> Command {
    let folder = root().join("target/cache/build").display().to_string();
    command.environment.push(("CARGO_BUILD_BUILD_DIR".into(), folder));
    command
}

/// For tests that build projects of which no figure is claimed: quick to compile, rather than quick. One project of the end-to-end
/// tests is built as users build theirs.
pub(crate) fn without_figures(mut tests: Command) -> Command {
    let settings = [("OPT_LEVEL", "1"), ("LTO", "off"), ("CODEGEN_UNITS", "16")];
    let release = settings.map(|(setting, value)| (format!("CARGO_PROFILE_RELEASE_{setting}"), value.to_owned()));
    tests.environment.extend(release);
    tests
}

/// For tests that mostly wait, for a server or a timeout: runs more of them at a time than there are processors.
pub(crate) fn mostly_waiting(mut tests: Command) -> Command {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    tests.environment.push(("RUST_TEST_THREADS".into(), (processors * 2).to_string()));
    tests
}

/// Whether this is the run of a week rather than of a change: with everything that is too long for each.
pub(crate) fn is_long() -> bool {
    env::var_os("TIERUP_LONG").is_some_and(|value| value == "1")
}

/// A test that a plain `cargo test` leaves out. It is built for the whole workspace, like everything else: for one
/// package alone, dependencies would have other features and be compiled once more.
pub(crate) fn separate_test(name: &str) -> Command {
    cargo(["test", "--workspace", "--test", name])
}
