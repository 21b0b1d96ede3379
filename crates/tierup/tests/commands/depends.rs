//! A server that does not depend on the package yet: said once, before the first row.

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
fn check(host: &str, start: &str, files: &[(&str, &str)], hint: &str) {
    let folder = project(host, start, files);
    for command in [&["bench", "--tiers", "0,1"][..], &["bench", "--tiers", "0,0:free"], &["check", "--tiers", "1"]] {
        let said = run(folder.path(), command);
        let (begin, error) =
            ("exit code: 1\n-- stdout\n-- stderr\n", "error: the server in service does not depend on `words` yet\n");
        assert_eq!(said, format!("{begin}{error}hint: to add `words`, {hint}\n"), "{command:?}");
    }
    // What the command names is there.
    assert!(folder.path().join(".tierup").join(host).is_dir());
    // Its own way to have it is as good.
    write(folder.path(), &[("service/server.txt", &format!("load '../.tierup/{host}'"))]);
    let said = run(folder.path(), &["bench", "--tiers", "0,0:free"]);
    assert!(!said.contains("does not depend on"), "{said}");
}

#[test]
fn the_one_command_is_in_the_servers_own_manager() {
    let run = |command: &str| format!("run in service: {command}");
    check("node", "false", &[("service/package.json", "{}")], &run("npm install ../.tierup/node"));
    let pnpm = [("service/package.json", "{}"), ("service/pnpm-lock.yaml", "")];
    check("node", "false", &pnpm, &run("pnpm add link:../.tierup/node"));
    check("python", "python3", &[], &run("pip install -e '../.tierup/python[wasm]'"));
    let go = "go mod edit -require=tierup.local/words@v0.0.0 -replace=tierup.local/words=../.tierup/go";
    check("go", "false", &[("service/go.mod", "module shop\n")], &run(go));
    let lines = "add to pom.xml in service:\n      <dependency>\n          <groupId>local.tierup</groupId>\n          \
                 <artifactId>words</artifactId>\n          <version>0.1.0</version>\n      </dependency>";
    check("java", "false", &[("service/pom.xml", "<project/>\n")], lines);
}

#[test]
fn rows_without_the_package_need_none() {
    let folder = project("node", "false", &[("service/package.json", "{}")]);
    let said = run(folder.path(), &["check", "--tiers", "0", "--only", "servers"]);
    assert!(!said.contains("does not depend on"), "{said}");
}
