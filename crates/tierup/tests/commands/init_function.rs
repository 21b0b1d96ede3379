//! `tierup init --function`: a real server is watched, or its source is read, and a project is made for one of its functions,
//! or refused. One file for each host.

#![cfg(unix)]

mod beam;
mod go;
mod java;
mod node;
mod php;
mod places;
mod python;
mod ruby;

use std::{fs, path::Path, process::Command};

use expect_test::Expect;

use crate::{shown, tierup};

const SECRET: &str = "Hidden Value";

fn init(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tierup(folder, &["init"]);
    command.args(arguments).env("LABEL", SECRET).env("TMPDIR", folder.join("temporary"));
    command
}

/// The same with the same crate for all functions.
fn init_hot(folder: &Path, arguments: &[&str]) -> Command {
    init(folder, &[arguments, &["--name", "hot"]].concat())
}

/// The settings and the crate of a project for this function; nothing else is changed, and nothing is left.
#[track_caller]
fn made(folder: &Path, arguments: &[&str]) -> String {
    let file = arguments[1].rsplit_once(':').map_or("", |(place, _)| place.split(':').next().unwrap_or(place));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let before = read(file);
    let output = init_hot(folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output, folder));
    let temporary: Vec<_> = fs::read_dir(folder.join("temporary")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(temporary, ["empty"]);
    assert_eq!(before, read(file));
    let (settings, library) = (read("tierup.toml"), read("hot/src/lib.rs"));
    fs::remove_file(folder.join("tierup.toml")).unwrap();
    for name in ["hot", "tierup"] {
        let _ = fs::remove_dir_all(folder.join(name));
    }
    format!("{settings}-- hot/src/lib.rs\n{library}")
}

/// The same without the lines that all projects have.
#[track_caller]
fn makes(folder: &Path, arguments: &[&str], expected: Expect) {
    const ALWAYS: [&str; 13] = [
        "#:schema ./.tierup/schema.json",
        "# What is hot, which server calls it, and how to tell that it works.",
        "[function]",
        "crate = \"hot\"",
        "folder = \".\"",
        "# A call whose answer was always the same while tierup watched. Check that it is the right one.",
        "//! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.",
        "/// tierup guessed the types from calls that it saw: check that they hold for all others.",
        "/// # Errors",
        "/// Until it is written.",
        "///",
        "    Err(\"not written yet\".to_owned())",
        "",
    ];
    let made = made(folder, arguments);
    let differs = |line: &&str| !ALWAYS.contains(line) && !line.starts_with("    let _ = ");
    expected.assert_eq(&made.lines().filter(differs).map(|line| format!("{line}\n")).collect::<String>());
}

/// Why a function is refused; then there is no part of a project.
#[track_caller]
fn refuses(folder: &Path, arguments: &[&str], expected: Expect) {
    let output = init_hot(folder, arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let start = error.find("error: ").unwrap_or_default();
    // Most cannot move; some names are no function's, or the function was not called.
    let code = output.status.code();
    assert!(matches!(code, Some(1..=3)), "{}", shown(&output, folder));
    assert_eq!(code == Some(1), error.contains(" cannot move to Rust "), "{}", shown(&output, folder));
    expected.assert_eq(&error[start..]);
    assert!(!folder.join("tierup.toml").exists() && !folder.join("hot").exists());
}
