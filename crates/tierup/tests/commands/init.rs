//! `tierup init`.

use std::fs;

use expect_test::expect;

use crate::{run, write};

#[test]
fn a_server_is_found_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("package.json", "{}\n"), ("index.js", "// mine\n")]);
    let said = run(folder.path(), &["init"]);
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    assert!(said.contains("hot"), "{said}");
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    assert!(settings.contains("folder = \".\"\nstart = [\"node\", \"index.js\"]"), "{settings}");
    assert!(folder.path().join("hot/src/lib.rs").exists());
    assert_eq!(fs::read_to_string(folder.path().join("index.js")).unwrap(), "// mine\n");

    expect![[r#"
        exit code: 1
        -- stdout
        -- stderr
        error: `./hot/Cargo.toml` is there already, and is not overwritten
        hint: move it away, or go on with what is there
    "#]]
    .assert_eq(&run(folder.path(), &["init"]));
}

#[test]
fn a_folder_without_a_server_is_no_place_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["init"]);
    assert!(said.contains("no server that tierup knows was found here"), "{said}");
    assert!(said.contains("hint: say what it runs on with --host: node"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
