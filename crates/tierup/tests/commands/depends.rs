//! A server that does not depend on the package yet: said once, before the first row.

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
    // Documents, images and scripts do not make a server depend on it.
    for name in ["README.md", "Dockerfile", "start.sh", "package-lock.json"] {
        write(folder.path(), &[(&format!("service/{name}"), &format!("COPY \"../.tierup/{host}\" /app\n"))]);
    }
    for command in [&["bench", "--tiers", "0,1"][..], &["bench", "--tiers", "0,0:free"], &["check", "--tiers", "1"]] {
        let said = run(folder.path(), command);
        let (begin, error) =
            ("exit code: 2\n-- stdout\n-- stderr\n", "error: the server in service does not depend on `words` yet\n");
        assert_eq!(said, format!("{begin}{error}hint: to add `words`, {hint}\n"), "{command:?}");
    }
    // The folder that the command names exists.
    assert!(folder.path().join(".tierup").join(host).is_dir());
    // Its own way to have it is as good.
    let (file, text) = own_way;
    write(folder.path(), &[(&format!("service/{file}"), text)]);
    let said = run(folder.path(), &["bench", "--tiers", "0,0:free"]);
    assert!(!said.contains("does not depend on"), "{said}");
}

#[test]
fn the_one_command_is_in_the_servers_own_manager() {
    let run = |command: &str| format!("run in service: {command}");
    let import = ("src/server.js", "const rust = require('../../.tierup/node');\n");
    check("node", "false", &[("service/package.json", "{}")], &run("npm install ../.tierup/node"), import);
    let pnpm = [("service/package.json", "{}"), ("service/pnpm-lock.yaml", "")];
    let manifest = ("package.json", r#"{ "dependencies": { "words": "link:../.tierup/node" } }"#);
    check("node", "false", &pnpm, &run("pnpm add link:../.tierup/node"), manifest);
    let path = ("server.py", "import sys\nsys.path.insert(0, '../.tierup/python/src')\n");
    check("python", "python3", &[], &run("pip install -e '../.tierup/python[wasm]'"), path);
    let go = "go mod edit -require=tierup.local/words@v0.0.0 -replace=tierup.local/words=../.tierup/go";
    let workspace = ("go.work", "go 1.25\nuse .\nuse ../.tierup/go\n");
    check("go", "false", &[("service/go.mod", "module shop\n")], &run(go), workspace);
    let lines = "add to pom.xml in service:\n      <!-- mvn -f ../.tierup/java/with-server package -->\n      <dependency>\n          <groupId>local.tierup</groupId>\n          \
                 <artifactId>words</artifactId>\n          <version>0.1.0</version>\n      </dependency>";
    let included = ("settings.gradle", "includeBuild '../.tierup/java'\n");
    check("java", "false", &[("service/pom.xml", "<project/>\n")], lines, included);
    let lines =
        "add to mix.exs in service:\n      # Among the dependencies.\n      {:words, path: \"../.tierup/beam\"}";
    let manifest = ("mix.exs", "defp deps, do: [{:words, path: \"../.tierup/beam\"}]\n");
    check("beam", "false", &[("service/mix.exs", "defp deps, do: []\n")], lines, manifest);
}

/// Its loader names the built package, which makes no server depend on it.
#[test]
fn a_committed_package_is_not_the_servers_own_way() {
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
fn rows_without_the_package_need_none() {
    let folder = project("node", "false", &[("service/package.json", "{}")]);
    let said = run(folder.path(), &["check", "--tiers", "0", "--only", "servers"]);
    assert!(!said.contains("does not depend on"), "{said}");
}
