//! The generated package, for the functions of `conformance/`: every type, every hostile name.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use conformance::{project, write};
use tierup_codegen::{HostSettings, Machine, Step, Variant};
use tierup_host_python::python;

fn settings() -> HostSettings {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let baselines = vec![(None, "own".to_owned()), (Some("tuned".to_owned()), "own:echo_text".to_owned())];
    HostSettings { folder, install: Default::default(), start: vec![], prepare: vec![], baselines }
}

/// Writes the package and its driver, and says where. One folder for each test: they run at the same time.
fn written(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder, &python().package(&project(), &settings()).unwrap());
    write(&folder, &python().driver(&project(), &settings()).0);
    folder
}

/// Runs Python in a folder and asserts that it succeeds.
fn run(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) {
    let output = Command::new("python3")
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .env_remove("TIERUP_TIER")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap_or_else(|error| panic!("python3: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "python3 {arguments:?}: {}\n{out}\n{err}", output.status);
}

/// Of the language's oldest version that is supported, too.
#[test]
fn every_file_is_python() {
    let folder = written("syntax");
    let check = "import ast, pathlib, sys\n\
        for path in [*pathlib.Path('.').rglob('*.py'), *pathlib.Path('.').rglob('*.pyi')]:\n    \
        ast.parse(path.read_text(encoding='utf-8'), str(path), feature_version=(3, 9))";
    run(&folder, &["-W", "error", "-c", check], &[]);
}

#[test]
fn every_generated_file_says_what_made_it() {
    for (name, content) in python().package(&project(), &settings()).unwrap().iter() {
        let text = std::str::from_utf8(content).unwrap();
        assert!(
            name.ends_with("py.typed") || text.lines().take(2).any(|line| line.contains("Made by tierup")),
            "{name}"
        );
    }
}

/// `tests/python`: what the package does without anything built, and with programs that play the worker.
#[test]
fn behaves_in_python() {
    let folder = written("behaviour");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let source = folder.join("src").display().to_string();
    let environment = [("PACKAGE", folder.to_str().unwrap()), ("PYTHONPATH", source.as_str())];
    run(
        &tests,
        &["-W", "error::ResourceWarning", "-m", "unittest", "discover", "--pattern", "test_*.py"],
        &environment,
    );
}

#[test]
fn a_package_that_python_has_itself_is_refused() {
    let mut project = project();
    project.interface.package = "json".into();
    let refused = python().package(&project, &settings()).unwrap_err();
    assert!(refused.contains("`json` is already a module"), "{refused}");
}

#[test]
fn what_is_built_for_another_machine_is_named_as_there() {
    let copies = |target: &str, variant| {
        let recipe = python().recipe(&project(), variant, &Machine::from_target(target).unwrap());
        let copies = recipe.steps.into_iter().filter_map(|step| match step {
            Step::Copy { from, to } => Some(format!("{} -> {}", from.display(), to.display())),
            _ => None,
        });
        copies.collect::<String>()
    };
    assert_eq!(
        copies("x86_64-pc-windows-msvc", Variant::Pool),
        "target/x86_64-pc-windows-msvc/release/conformance.exe -> python/src/conformance/artifacts/conformance.exe"
    );
    assert_eq!(
        copies("aarch64-apple-darwin", Variant::Native),
        "target/aarch64-apple-darwin/release/libtierup_python_native_conformance.dylib -> \
         python/src/conformance/_native.abi3.so"
    );
}
