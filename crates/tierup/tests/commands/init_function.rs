//! `tierup init --function`: watches a real server or reads its source, and makes a project for one of its functions,
//! or refuses it. One file per host.

#![cfg(unix)]

mod beam;
mod go;
mod java;
mod node;
mod node_declared;
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

/// Like `init`, with the same crate name for all functions.
fn init_hot(folder: &Path, arguments: &[&str]) -> Command {
    init(folder, &[arguments, &["--name", "hot"]].concat())
}

/// Makes a project for a function. Returns its settings and crate; no other file may change or be left.
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

/// Like `made`, without the lines that are in all projects.
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

/// Compares the reason why a function is refused; then no part of a project may exist.
#[track_caller]
fn refuses(folder: &Path, arguments: &[&str], expected: Expect) {
    let output = init_hot(folder, arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let start = error.find("error: ").unwrap_or_default();
    // Exit code 1: it cannot move. 2 or 3: there is no such function, or it was not called.
    let code = output.status.code();
    assert!(matches!(code, Some(1..=3)), "{}", shown(&output, folder));
    assert_eq!(code == Some(1), error.contains(" cannot move to Rust "), "{}", shown(&output, folder));
    expected.assert_eq(&error[start..]);
    assert!(!folder.join("tierup.toml").exists() && !folder.join("hot").exists());
}
