//! `tierup new`.

use std::{fs, process::Command};

use expect_test::expect;

use crate::{run, write};

#[test]
fn a_new_project_passes_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    expect![[r#"
        exit code: 0
        -- stdout
        -- stderr
        made my-slug: the function is in my-slug/src/lib.rs, the server in my-slug/node
        next: tierup serve my-slug --host node --tier 3
    "#]]
    .assert_eq(&run(folder.path(), &["new", "my-slug", "--host", "node"]));
    let project = folder.path().join("my-slug");
    for name in
        ["Cargo.toml", "src/lib.rs", "tierup.toml", "requests.http", "README.md", ".gitignore", "node/server.js"]
    {
        let text = fs::read_to_string(project.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let filled = ["NAME", "CRATE", "[host.HOST"].iter().all(|word| !text.contains(word));
        assert!(filled, "{name}:\n{text}");
    }
    let tests = Command::new("cargo").args(["test", "--quiet", "--offline"]).current_dir(&project).output().unwrap();
    assert!(tests.status.success(), "{}", String::from_utf8_lossy(&tests.stdout));
}

#[test]
fn existing_files_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("slug/precious.txt", "mine")]);
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: `slug` already exists and is not empty
        hint: choose another name; use `tierup init` for an existing server
    "#]]
    .assert_eq(&run(folder.path(), &["new", "slug", "--host", "node"]));
    assert_eq!(fs::read_dir(folder.path().join("slug")).unwrap().count(), 1);
}

#[test]
fn invalid_names_and_hosts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut said = String::new();
    for (name, host) in [("Slug", "node"), ("1st", "node"), ("http", "node"), ("crate", "node"), ("slug", "nod")] {
        said.push_str(&run(folder.path(), &["new", name, "--host", host]));
    }
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: `Slug` is not a valid name for a crate and a package
        hint: take lower-case letters, digits, `-` and `_`, a letter first, 64 at most
        exit code: 2
        -- stdout
        -- stderr
        error: `1st` is not a valid name for a crate and a package
        hint: take lower-case letters, digits, `-` and `_`, a letter first, 64 at most
        exit code: 2
        -- stdout
        -- stderr
        error: `http` is a reserved name in Rust or in a host
        hint: take another, e.g. `http-fast`
        exit code: 2
        -- stdout
        -- stderr
        error: `crate` is a reserved name in Rust or in a host
        hint: take another, e.g. `crate-fast`
        exit code: 2
        -- stdout
        -- stderr
        error: `nod` is not a host
        hint: did you mean `node`?
    "#]]
    .assert_eq(&said);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
