//! `tierup init`.

use std::{fs, process::Command};

use expect_test::expect;

use crate::{run, write};

#[test]
fn a_server_is_detected_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("package.json", "{}\n"), ("index.js", "// mine\n")]);
    expect![[r#"
        exit code: 0
        -- stdout
        1. Write your function in hot/src/lib.rs, in place of `slugify`. In tierup.toml, replace the
           values of the sample: `export`; `start`, if your server starts differently; `request`, `call` and `max_bytes` of
           [[route]], `request` and `sha256` of [health]. Or remove [[route]] and [health] until you need them.

        2. Build it, and bring tierup/hot/ up to date:

               tierup build --tiers 3
               tierup stub

        3. Commit that package, and add it to the server:

               npm install ./tierup/hot

        4. In the server, take the function from the package, and pass its present function as tier 0:

               const { yourFunction } = require('hot').with({ baseline: require('./your-module') });

           `your_function` in Rust is `yourFunction` here, and a call now returns a Promise: `await yourFunction(…)`.
           In code that cannot await, `yourFunctionSync(…)` returns the value itself, at every tier but 1:pool.

        5. Serve it, before and after:

               tierup serve --tier 0
               tierup serve --tier 3
        -- stderr
        created tierup.toml, hot/ and tierup/hot/ for Node.js; nothing else was changed

    "#]]
    .assert_eq(&run(folder.path(), &["init"]));
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    assert!(settings.contains("folder = \".\"\nstart = [\"node\", \"index.js\"]"), "{settings}");
    assert!(folder.path().join("hot/src/lib.rs").exists());
    assert_eq!(fs::read_to_string(folder.path().join("index.js")).unwrap(), "// mine\n");

    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: `./hot/.gitignore` already exists, and tierup does not overwrite it
        hint: move it away, or continue with the existing file
    "#]]
    .assert_eq(&run(folder.path(), &["init"]));
}

#[test]
fn a_python_server_gets_its_own_steps() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("requirements.txt", "flask\n"), ("app.py", "# mine\n")]);
    let said = run(folder.path(), &["init"]);
    assert!(said.contains("pip install -e './tierup/hot[wasm]'"), "{said}");
    assert!(said.contains("rust = hot.bind(baseline=your_module)"), "{said}");
    assert!(said.contains("-e ./tierup/hot[wasm]\n\n5. Serve it"), "{said}");
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    assert!(settings.contains("[host.python]\nfolder = \".\"\nstart = [\"python3\", \"app.py\"]"), "{settings}");
}

const PACKAGE: &str = r#"{ "type": "module", "scripts": { "start": "node src/main.js" } }"#;

#[test]
fn a_server_in_a_subfolder_gets_commands_for_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("shop/package.json", PACKAGE), ("shop/server.js", "")]);
    let said = run(folder.path(), &["init", "shop"]);
    assert!(said.contains("tierup build shop --tiers 3\n       tierup stub --project shop\n"), "{said}");
    assert!(said.contains("in shop:\n\n       npm install ./tierup/hot"), "{said}");
    assert!(said.contains("import rust from 'hot';"), "{said}");
    let settings = fs::read_to_string(folder.path().join("shop/tierup.toml")).unwrap();
    assert!(settings.contains("start = [\"node\", \"src/main.js\"]"), "{settings}");
}

#[test]
fn a_go_server_gets_its_own_steps() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("go.mod", "module shop\n"), ("main.go", "package main\n")]);
    let said = run(folder.path(), &["init"]);
    let edit = "go mod edit -require=tierup.local/hot@v0.0.0 -replace=tierup.local/hot=./tierup/hot/go";
    assert!(said.contains(edit), "{said}");
    assert!(said.contains("hot.Bind(hot.Options{Baseline: &hot.Functions{Slugify: yourFunction}})"), "{said}");
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    let table =
        "[host.go]\nfolder = \".\"\nprepare = [\"go\", \"build\", \"-o\", \"server\", \".\"]\nstart = [\"./server\"]";
    assert!(settings.contains(table), "{settings}");
}

/// The project's folder is the server's, so `tierup/` is beside the server's manifest.
#[test]
fn a_java_server_is_built_with_the_committed_package() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("pom.xml", "<project/>\n")]);
    let said = run(folder.path(), &["init"]);
    assert!(said.contains("--file tierup/hot/java/with-server;"), "{said}");
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    let prepare = r#"prepare = ["mvn", "--batch-mode", "--quiet", "--file", "tierup/hot/java/with-server", "package"]"#;
    assert!(settings.contains(prepare), "{settings}");
}

#[test]
fn git_ignores_build_output() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    write(folder.path(), &[("package.json", "{}\n"), ("server.js", "")]);
    run(folder.path(), &["init"]);
    run(folder.path(), &["build", "--tiers", "0"]);
    write(folder.path(), &[("hot/target/debug/libhot.rlib", "")]);
    assert!(folder.path().join(".tierup/Cargo.toml").exists());
    let seen = git(&["ls-files", "--others", "--exclude-standard", ".tierup", "hot"]);
    assert_eq!(seen, "hot/.gitignore\nhot/Cargo.toml\nhot/src/lib.rs\n");
}

#[test]
fn a_folder_without_a_server_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["init"]);
    assert!(said.contains("found no server of a supported host here"), "{said}");
    assert!(said.contains("hint: choose the host with --host: node"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
