//! How to make a server depend on the package: one command of its own manager, or lines; and equivalent ways.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::{fs, path::Path, sync::Arc};

use tierup_codegen::Host;
use tierup_rows::ProjectHost;

const MANIFEST: &str = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const LIBRARY: &str = "pub fn shout(text: &str) -> String { text.into() }\n";

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[track_caller]
fn check(host: &'static dyn Host, start: &str, files: &[(&str, &str)], hint: &str, own_way: (&str, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let name = host.name();
    let settings = format!(
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.{name}]\nfolder = \"service\"\nstart = [{start:?}]\n"
    );
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY), ("tierup.toml", &settings)]);
    write(folder.path(), &[("service/server.txt", "")]);
    write(folder.path(), files);
    // Documents, images and scripts do not make a server depend on the package.
    for file in ["README.md", "Dockerfile", "start.sh", "package-lock.json"] {
        write(folder.path(), &[(&format!("service/{file}"), &format!("COPY \"../.tierup/{name}\" /app\n"))]);
    }
    let loaded = Arc::new(tierup_project::open(folder.path(), &[host]).unwrap());
    let at = ProjectHost { loaded: &loaded, host, settings: loaded.host(name).unwrap() };
    let said = at.missing_dependency().unwrap().replace(&format!("{}/", folder.path().display()), "");
    assert_eq!(said, format!("to add `words`, {hint}"));
    // Another way to declare the dependency is accepted, too.
    write(folder.path(), &[(&format!("service/{}", own_way.0), own_way.1)]);
    assert_eq!(at.missing_dependency(), None);
}

#[test]
fn the_command_is_for_the_servers_own_manager() {
    let run = |command: &str| format!("run in service: {command}");
    let node = tierup_host_node::node();
    let import = ("src/server.js", "const rust = require('../../.tierup/node');\n");
    check(node, "false", &[("service/package.json", "{}")], &run("npm install ../.tierup/node"), import);
    let pnpm = [("service/package.json", "{}"), ("service/pnpm-lock.yaml", "")];
    let manifest = ("package.json", r#"{ "dependencies": { "words": "link:../.tierup/node" } }"#);
    check(node, "false", &pnpm, &run("pnpm add link:../.tierup/node"), manifest);
    let path = ("server.py", "import sys\nsys.path.insert(0, '../.tierup/python/src')\n");
    let pip = run("pip install -e '../.tierup/python[wasm]'");
    check(tierup_host_python::python(), "python3", &[], &pip, path);
    let go = "go mod edit -require=tierup.local/words@v0.0.0 -replace=tierup.local/words=../.tierup/go";
    let workspace = ("go.work", "go 1.25\nuse .\nuse ../.tierup/go\n");
    check(tierup_host_go::go(), "false", &[("service/go.mod", "module shop\n")], &run(go), workspace);
    let lines = "add to pom.xml in service:\n      <!-- mvn -f ../.tierup/java/with-server package -->\n      <dependency>\n          <groupId>local.tierup</groupId>\n          \
                 <artifactId>words</artifactId>\n          <version>0.1.0</version>\n      </dependency>";
    let included = ("settings.gradle", "includeBuild '../.tierup/java'\n");
    check(tierup_host_java::java(), "false", &[("service/pom.xml", "<project/>\n")], lines, included);
    let lines =
        "add to mix.exs in service:\n      # Among the dependencies.\n      {:words, path: \"../.tierup/beam\"}";
    let manifest = ("mix.exs", "defp deps, do: [{:words, path: \"../.tierup/beam\"}]\n");
    check(tierup_host_beam::beam(), "false", &[("service/mix.exs", "defp deps, do: []\n")], lines, manifest);
}
