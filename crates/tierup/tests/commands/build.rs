//! `tierup build` where it fails early; the builds themselves are in the end-to-end stage of `cargo xtask test`.

use expect_test::expect;

use crate::{MANIFEST, run, shown, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";

fn project(library: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    write(folder.path(), &[("tierup.toml", SETTINGS)]);
    folder
}

#[test]
fn a_folder_without_a_project_is_told_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    expect![[r#"
        exit code: 1
        -- stdout
        -- stderr
        error: there is no tierup.toml in `.`
        hint: `tierup new NAME --host node` makes a project; `tierup init` makes one of an existing server
    "#]]
    .assert_eq(&run(folder.path(), &["build"]));
    expect![[r#"
        exit code: 1
        -- stdout
        -- stderr
        error: there is no folder `nowhere`
        hint: give the folder that holds tierup.toml
    "#]]
    .assert_eq(&run(folder.path(), &["build", "nowhere"]));
}

#[test]
fn a_crate_that_does_not_parse_is_shown_where() {
    let folder = project("pub fn shout(text: &str -> String {}\n");
    let said = run(folder.path(), &["build"]);
    assert!(said.starts_with("exit code: 1\n") && said.contains("src/lib.rs:1:"), "{said}");
}

#[test]
fn a_missing_toolchain_is_named_with_the_command_that_gets_it() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let output = tierup(folder.path(), &["build"]).env("PATH", folder.path()).output().unwrap();
    expect![[r#"
        exit code: 1
        -- stdout
        -- stderr
        error: there is no program `cargo`
        hint: get it with: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh
              `tierup doctor` lists everything that is needed
    "#]]
    .assert_eq(&shown(&output, folder.path()));
}

#[test]
fn a_host_that_the_project_lacks_is_refused() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    expect![[r#"
        exit code: 1
        -- stdout
        -- stderr
        error: `cobol` is no host of this project
        hint: it has: node; add `[host.cobol]` to tierup.toml for another
    "#]]
    .assert_eq(&run(folder.path(), &["build", "--hosts", "cobol"]));
}

#[test]
fn tier_4_without_a_route_is_refused() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let said = run(folder.path(), &["build", "--tiers", "4:server"]);
    assert!(said.contains("4:server cannot be built for Node.js: tierup.toml has neither"), "{said}");
}

/// As on a machine without a network: there is nothing that cargo could build the tools of.
#[test]
fn wasm_tools_that_cannot_be_built_are_an_error_where_they_are_asked_for() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let mut build = tierup(folder.path(), &["build", "--tiers", "2:component"]);
    build.env("TIERUP_CACHE", folder.path().join("cache")).env("CARGO_HOME", folder.path().join("cargo"));
    let said = shown(&build.env("CARGO_NET_OFFLINE", "true").output().unwrap(), folder.path());
    assert!(said.starts_with("exit code: 1\n"), "{said}");
    assert!(said.contains("error: the Wasm tools cannot be built: `cargo build --locked --release "), "{said}");
    assert!(said.contains("error: no matching package named"), "{said}");
    assert!(said.contains("hint: tierup builds them once"), "{said}");
}

/// The rest of the project is built all the same.
#[test]
fn wasm_tools_that_cannot_be_built_are_a_reason_otherwise() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let said = run(folder.path(), &["build"]);
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let row =
        |variant: &str| said.lines().find(|line| line.starts_with(&format!("node  {variant} "))).unwrap_or_default();
    for variant in ["2:bindgen", "2:component"] {
        assert!(
            row(variant).contains("no ") && row(variant).contains("cannot be built: cannot make the folder"),
            "{said}"
        );
    }
    for variant in ["1:pool", "2:core", "3:native"] {
        assert!(row(variant).contains("built"), "{said}");
    }
}
