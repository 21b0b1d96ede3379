//! The program's exit codes, and their list in `docs/reference/exit-codes.md`.

use std::{fs, path::Path, process::Stdio};

use tierup::Exit;

use crate::{MANIFEST, tierup, write};

#[test]
fn the_page_has_all_codes_with_their_meanings() {
    let page = include_str!("../../../../docs/reference/exit-codes.md");
    for exit in Exit::ALL {
        let row = format!("| {} | {} |\n", exit.code(), exit.meaning());
        assert!(page.contains(&row), "docs/reference/exit-codes.md lacks: {row}");
    }
    let codes =
        page.lines().filter(|line| line.starts_with("| ") && line[2..].starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(codes.count(), Exit::ALL.len(), "the page has a code that the program does not");
}

/// Runs a command that ends with each code.
#[test]
fn each_code_is_distinct() {
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str]| {
        let run = tierup(folder.path(), arguments).env("PATH", folder.path()).output().unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let check = |arguments: &[&str], exit: Exit| {
        let (found, said) = code(arguments);
        assert_eq!(found, Some(i32::from(exit.code())), "{arguments:?}: {said}");
    };
    check(&["hosts"], Exit::Done);
    // PATH is empty, so nothing is installed.
    check(&["doctor"], Exit::No);
    check(&["fly"], Exit::Usage);
    check(&["build"], Exit::Usage);
    check(&["report", "no.json"], Exit::Usage);
    check(&["new", "Slug", "--host", "node"], Exit::Usage);
    let toml = "[function]\ncrate = \".\"\nexport = [\"f\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
    let files =
        [("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn f() {}\n"), ("node/server.js", ""), ("tierup.toml", toml)];
    write(folder.path(), &files);
    // The project is valid, but cargo is not installed.
    check(&["build"], Exit::Failed);
    fs::write(folder.path().join("tierup.toml"), format!("{toml}begin = 1\n")).unwrap();
    check(&["build"], Exit::Usage);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let mut command = tierup(Path::new("."), &["hosts"]);
    let mut hosts = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(hosts.stdout.take());
    assert_eq!(hosts.wait().unwrap().code(), Some(0));
}
