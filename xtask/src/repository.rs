//! The repository's root, and the output of programs.

use std::{
    path::{Path, PathBuf},
    process,
};

/// The repository's root, the working directory of every step.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Whether a program runs and succeeds.
pub(crate) fn runs(program: &str, arguments: &[impl AsRef<std::ffi::OsStr>]) -> bool {
    let mut command = process::Command::new(program);
    command.args(arguments).current_dir(root()).output().is_ok_and(|output| output.status.success())
}

/// The output of a program, if it succeeds.
pub(crate) fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = process::Command::new(program).args(arguments).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The output of a program; empty if it cannot be run.
pub(crate) fn output(program: &str, arguments: &[&str]) -> String {
    let output = process::Command::new(program).args(arguments).current_dir(root()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The target triple of this machine.
pub(crate) fn this_machine() -> Option<String> {
    let about = answer("rustc", &["-vV"])?;
    about.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}
