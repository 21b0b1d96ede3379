//! Projects in a cargo workspace whose `members` include `.tierup/`.

use std::{fs, process::Command};

use expect_test::expect;

use crate::{MANIFEST, run, write};

const SETTINGS: &str = "[function]\ncrate = \"hot\"\nexport = [\"shout\"]\n[host.node]\nfolder = \"node\"\nstart = [\"node\", \"server.js\"]\n";

/// A workspace with a project in this folder.
fn project(workspace: &str, folder: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(root.path(), &[("Cargo.toml", workspace)]);
    let files =
        [("hot/Cargo.toml", MANIFEST), ("hot/src/lib.rs", library), ("node/server.js", ""), ("tierup.toml", SETTINGS)];
    write(&root.path().join(folder), &files);
    root
}

#[test]
fn a_workspace_that_includes_generated_crates_is_refused() {
    let root = project("[workspace]\nresolver = \"3\"\nmembers = [\"h*\", \"*\"]\nexclude = [\"node\"]\n", "");
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: `Cargo.toml` takes in `.tierup` as a member, by `*` in `members`: cargo would no longer work there
        hint: tierup generates a workspace of its own in `.tierup`; set there, in [workspace]: exclude = ["node", ".tierup"]
    "#]]
    .assert_eq(&run(root.path(), &["build", "--tiers", "0"]));
    assert!(!root.path().join(".tierup").exists());
    // The message is the same if an older build has generated crates, as cargo does not name the solution.
    write(root.path(), &[(".tierup/Cargo.toml", "[workspace]\n")]);
    assert!(run(root.path(), &["build", "--tiers", "0"]).contains("exclude = [\"node\", \".tierup\"]"));
}

#[test]
fn the_suggested_line_makes_cargo_and_tierup_work() {
    for (members, folder, exclude) in [("*", "", ".tierup"), ("crates/*", "crates", "crates/.tierup")] {
        let node = if folder.is_empty() { "node" } else { "crates/node" };
        let head = format!("[workspace]\nresolver = \"3\"\nmembers = [{members:?}]\n");
        let root = project(&format!("{head}exclude = [{node:?}]\n"), folder);
        let at = root.path().join(folder);
        let said = run(&at, &["build", "--tiers", "0"]);
        let line = format!("exclude = [{node:?}, {exclude:?}]");
        assert!(said.contains(&line), "{said}");
        write(root.path(), &[("Cargo.toml", &format!("{head}{line}\n"))]);
        let said = run(&at, &["build", "--tiers", "0"]);
        assert!(said.starts_with("exit code: 0\n"), "{said}");
        assert!(at.join(".tierup/Cargo.toml").exists());
        let metadata = ["metadata", "--offline", "--no-deps", "--format-version", "1"];
        let output = Command::new("cargo").args(metadata).current_dir(root.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn init_writes_nothing_that_would_break_the_workspace() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), &[("Cargo.toml", "[workspace]\nmembers = [\"services/*/*\"]\n")]);
    write(root.path(), &[("services/shop/package.json", "{}"), ("services/shop/server.js", "")]);
    let said = run(root.path(), &["init", "services/shop"]);
    assert!(said.contains("exclude = [\"services/shop/.tierup\"]"), "{said}");
    assert_eq!(fs::read_dir(root.path().join("services/shop")).unwrap().count(), 2);
}
