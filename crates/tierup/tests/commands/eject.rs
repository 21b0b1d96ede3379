//! `tierup eject server`.

use std::fs;

use expect_test::expect;

use crate::{MANIFEST, run, write};

const SETTINGS: &str = "# mine\n[function]\ncrate = \".\"\nexport = [\"shout\"]\n\n[[route]]\nrequest = \"GET /shout?text={text}\"\ncall = \"shout\"\n\n[host.node]\nstart = [\"node\", \"server.js\"]\n";

#[test]
fn the_server_becomes_a_crate_and_tierup_toml_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.to_uppercase() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    write(folder.path(), &[("tierup.toml", SETTINGS)]);
    expect![[r#"
        exit code: 0
        -- stdout
        -- stderr
        made the crate words-server in server
        tierup.toml now has `[server] crate = "server"`; tier 4 is built from there
    "#]]
    .assert_eq(&run(folder.path(), &["eject", "server"]));
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    assert_eq!(settings, format!("{SETTINGS}\n[server]\ncrate = \"server\"\n"));
    assert!(fs::read_to_string(folder.path().join("server/Cargo.toml")).unwrap().contains("words-server"));

    let again = run(folder.path(), &["eject", "server"]);
    assert!(again.contains("error: the server is already your own crate, in `server`"), "{again}");
}

/// The crate is a workspace of its own, so it must copy the patches and the lock file of the user's workspace.
#[test]
fn patches_and_the_lock_file_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!("{MANIFEST}[workspace]\n[patch.crates-io]\nitoa = {{ path = \"vendor/itoa\" }}\n");
    let library = "pub fn shout(text: &str) -> String { text.to_uppercase() }\n";
    write(folder.path(), &[("Cargo.toml", &manifest), ("src/lib.rs", library), ("node/server.js", "")]);
    write(folder.path(), &[("tierup.toml", SETTINGS), ("Cargo.lock", "version = 4\n")]);
    let said = run(folder.path(), &["eject", "server", "--to", "crates/server"]);
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let read = |name: &str| fs::read_to_string(folder.path().join("crates/server").join(name)).unwrap();
    assert_eq!(read("Cargo.lock"), "version = 4\n");
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("[patch.crates-io]\nitoa = { path = \"../../vendor/itoa\" }\n"), "{manifest}");
}
