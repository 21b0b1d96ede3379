//! `prepare` of `[host.NAME]`: the command that builds the server, before its start.
#![cfg(unix)]

use std::fs;

use expect_test::expect;

use crate::{MANIFEST, run, write};

fn project(prepare: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n\
         [host.go]\nfolder = \"service\"\nprepare = {prepare}\nstart = [\"./server\"]\n"
    );
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("tierup.toml", &settings)]);
    write(folder.path(), &[("service/main.txt", "exit 7")]);
    folder
}

#[test]
fn prepare_runs_in_the_servers_folder_at_each_build_and_start() {
    let folder = project(r#"["sh", "-c", "echo '#!/bin/sh' > server; cat main.txt >> server; chmod +x server"]"#);
    assert!(run(folder.path(), &["build", "--tiers", "0"]).starts_with("exit code: 0\n"));
    assert_eq!(fs::read_to_string(folder.path().join("service/server")).unwrap(), "#!/bin/sh\nexit 7");
    write(folder.path(), &[("service/main.txt", "exit 8")]);
    let port = tierup_runner::port::free().unwrap().to_string();
    let said = run(folder.path(), &["serve", "--tier", "0", "--port", &port]);
    assert!(said.contains("error: the server exited unexpectedly (exit code 8): ./server"), "{said}");
}

#[test]
fn prepare_runs_once_for_all_rows() {
    let folder = project(r#"["sh", "-c", "echo built >> builds; cp /bin/true server"]"#);
    write(folder.path(), &[("requests.http", "GET http://localhost/\n")]);
    // The server ends at once, so nothing is measured.
    let said = run(folder.path(), &["bench", "--tiers", "0,0:free"]);
    assert_eq!(fs::read_to_string(folder.path().join("service/builds")).unwrap(), "built\n", "{said}");
}

#[test]
fn a_server_that_cannot_be_built_is_not_started() {
    let folder = project(r#"["sh", "-c", "echo main.txt: no such package >&2; exit 1"]"#);
    let port = tierup_runner::port::free().unwrap().to_string();
    expect![[r#"
        exit code: 3
        -- stdout
        -- stderr
            sh -c 'echo main.txt: no such package >&2; exit 1'
        error: `sh -c 'echo main.txt: no such package >&2; exit 1'` failed (exit code 1) in FOLDER/service
          main.txt: no such package
        hint: this command is `prepare` in tierup.toml, which runs before the server starts
    "#]]
    .assert_eq(&run(folder.path(), &["serve", "--tier", "0", "--port", &port]));
}
