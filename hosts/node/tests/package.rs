//! The generated package, for the functions of `conformance/`: every type, every hostile name.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use conformance::{project, write};
use tierup_codegen::HostSettings;
use tierup_host_node::node;

fn settings() -> HostSettings {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/javascript");
    let baselines = vec![(None, "baseline.js".to_owned()), (Some("tuned".to_owned()), "baseline.js".to_owned())];
    HostSettings { folder, install: Default::default(), prepare: vec![], start: vec![], baselines }
}

/// Writes the package and its driver, and says where. One folder for each test: they run at the same time.
fn written(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder, &node().package(&project(), &settings()).unwrap());
    write(&folder, &node().driver(&project(), &settings()).0);
    folder
}

/// Runs a program in a folder and asserts that it succeeds.
fn run(folder: &Path, program: &str, arguments: &[&str], environment: &[(&str, &str)]) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .env_remove("TIERUP_TIER")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}: {}\n{out}\n{err}", output.status);
}

#[test]
fn every_file_is_javascript() {
    let folder = written("syntax");
    let project = project();
    let package = node().package(&project, &settings()).unwrap();
    let driver = node().driver(&project, &settings()).0;
    for (name, _) in package.iter().chain(driver.iter()) {
        if name.ends_with(".js") || name.ends_with(".mjs") {
            run(&folder, "node", &["--check", name], &[]);
        }
    }
    run(&folder, "node", &["--eval", "JSON.parse(require('fs').readFileSync('package.json'))"], &[]);
}

#[test]
fn every_generated_file_says_what_made_it() {
    for (name, content) in node().package(&project(), &settings()).unwrap().iter() {
        let text = std::str::from_utf8(content).unwrap();
        assert!(name == "package.json" || text.lines().take(2).any(|line| line.contains("Made by tierup")), "{name}");
    }
}

/// `tests/javascript`: what the package does without anything built, and with programs that play the worker.
#[test]
fn behaves_in_node() {
    let folder = written("behaviour");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/javascript");
    // By name: Node 22 takes no folder here any more.
    let names = fs::read_dir(&tests).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut arguments: Vec<String> = names.filter(|name| name.ends_with(".test.js")).collect();
    arguments.insert(0, "--test".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&tests, "node", &arguments, &[("PACKAGE", folder.to_str().unwrap())]);
}

#[test]
fn a_package_that_node_has_itself_is_refused() {
    let mut project = project();
    project.interface.package = "crypto".into();
    let refused = node().package(&project, &settings()).unwrap_err();
    assert!(refused.contains("crypto"), "{refused}");
}
