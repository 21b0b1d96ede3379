//! A server that does not depend on the package yet gets one message, before the first row.
//! `crates/tierup-rows/tests/depends.rs` has the messages for each package manager.

use std::fs;

use crate::{MANIFEST, run, write};

const LIBRARY: &str = "pub fn shout(text: &str) -> String { text.into() }\n";

fn project(host: &str, start: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.{host}]\nfolder = \"service\"\ninstall = false\nstart = [{start:?}]\n"
    );
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY), ("tierup.toml", &settings)]);
    write(folder.path(), &[("requests.http", "GET http://localhost/\n"), ("service/server.txt", "")]);
    write(folder.path(), files);
    folder
}

#[track_caller]
fn check(host: &str, start: &str, files: &[(&str, &str)], hint: &str, own_way: (&str, &str)) {
    let folder = project(host, start, files);
    // Documents, images and scripts do not count as a dependency.
    for name in ["README.md", "Dockerfile", "start.sh", "package-lock.json"] {
        write(folder.path(), &[(&format!("service/{name}"), &format!("COPY \"../.tierup/{host}\" /app\n"))]);
    }
    for command in [&["bench", "--tiers", "0,1"][..], &["bench", "--tiers", "0,0:free"], &["check", "--tiers", "1"]] {
        let said = run(folder.path(), command);
        let (begin, error) =
            ("exit code: 2\n-- stdout\n-- stderr\n", "error: the server in service does not depend on `words` yet\n");
        assert_eq!(said, format!("{begin}{error}hint: to add `words`, {hint}\n"), "{command:?}");
    }
    // The folder in the printed command exists.
    assert!(folder.path().join(".tierup").join(host).is_dir());
    // A dependency declared in another way also counts.
    let (file, text) = own_way;
    write(folder.path(), &[(&format!("service/{file}"), text)]);
    let said = run(folder.path(), &["bench", "--tiers", "0,0:free"]);
    assert!(!said.contains("does not depend on"), "{said}");
}

#[test]
fn rows_that_need_the_package_are_refused_without_it() {
    let import = ("src/server.js", "const rust = require('../../.tierup/node');\n");
    check("node", "false", &[("service/package.json", "{}")], "run in service: npm install ../.tierup/node", import);
}

/// The loader of the committed package names the built one, which is no dependency of the server.
#[test]
fn a_committed_package_is_no_dependency_of_the_server() {
    for (host, start) in [("node", "false"), ("python", "python3")] {
        let folder = project(host, start, &[("package.json", "{}")]);
        let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
        write(folder.path(), &[("tierup.toml", &settings.replace("\"service\"", "\".\""))]);
        assert!(run(folder.path(), &["stub"]).contains("wrote tierup/words"));
        let said = run(folder.path(), &["bench", "--tiers", "0,1"]);
        assert!(said.contains("does not depend on `words` yet\nhint: to add `words`, "), "{host}: {said}");
    }
}

#[test]
fn tier_0_needs_no_package() {
    let folder = project("node", "false", &[("service/package.json", "{}")]);
    let said = run(folder.path(), &["check", "--tiers", "0", "--only", "servers"]);
    assert!(!said.contains("does not depend on"), "{said}");
}
