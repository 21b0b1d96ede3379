//! Checks ARCHITECTURE.md: its drawing has the dependencies that cargo reports, and the crates that "only compute"
//! enable the lints that enforce it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there")
}

/// The workspace's packages, from `cargo metadata`.
fn packages() -> Vec<Value> {
    let cargo = env::var_os("CARGO").expect("cargo runs the tests");
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("a list of packages").clone()
}

/// A crate's name in the drawing: without `tierup-`; all hosts are one.
fn drawn(package: &str) -> String {
    match package.strip_prefix("tierup-") {
        Some(name) if name.starts_with("host-") => "hosts".to_owned(),
        Some(name) => name.to_owned(),
        None => package.to_owned(),
    }
}

fn dependencies(packages: &[Value]) -> BTreeSet<(String, String)> {
    let names: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut arrows = BTreeSet::new();
    for package in packages {
        let from = package["name"].as_str().expect("packages have names");
        for dependency in package["dependencies"].as_array().expect("a list") {
            let to = dependency["name"].as_str().expect("dependencies have names");
            // The kind is null for normal dependencies, not for dev-dependencies.
            if dependency["kind"].is_null() && names.contains(to) {
                arrows.insert((drawn(from), drawn(to)));
            }
        }
    }
    arrows
}

fn drawing(text: &str) -> BTreeSet<(String, String)> {
    let (_, drawing) = text.split_once("```mermaid\n").expect("ARCHITECTURE.md has a drawing");
    let (drawing, _) = drawing.split_once("```").expect("the drawing ends");
    let arrows = drawing.lines().filter_map(|line| line.split_once("-->"));
    let each = |names: &str| names.split('&').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    arrows
        .flat_map(|(from, to)| {
            each(from).into_iter().flat_map(move |from| each(to).into_iter().map(move |to| (from.clone(), to)))
        })
        .collect()
}

#[test]
fn the_drawing_has_the_arrows_of_the_crates() {
    let (drawn, real) = (drawing(&architecture()), dependencies(&packages()));
    let missing: Vec<_> = real.difference(&drawn).collect();
    let wrong: Vec<_> = drawn.difference(&real).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "missing in the drawing: {missing:?}\nnot in Cargo.toml: {wrong:?}"
    );
}

#[test]
fn hosts_do_not_know_each_other() {
    let arrows = dependencies(&packages());
    assert!(!arrows.contains(&("hosts".to_owned(), "hosts".to_owned())));
}

#[test]
fn crates_that_only_compute_enable_the_lints_for_it() {
    let text = architecture();
    let (_, rule) = text.split_once("only compute: ").expect("ARCHITECTURE.md says which crates only compute");
    let (names, _) = rule.split_once('.').expect("the sentence ends");
    let names: BTreeSet<String> =
        names.split(['`', ',', ' ', '\n']).filter(|name| !matches!(*name, "" | "and")).map(str::to_owned).collect();
    assert!(names.contains("model") && names.contains("hosts"), "{names:?}");
    for package in packages() {
        let folder = Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
        let Ok(library) = fs::read_to_string(folder.join("src/lib.rs")) else { continue };
        let name = drawn(package["name"].as_str().expect("packages have names"));
        let is_held = ["disallowed_methods", "disallowed_types", "print_stderr", "print_stdout"]
            .iter()
            .all(|lint| library.contains(&format!("clippy::{lint}")));
        assert_eq!(is_held, names.contains(&name), "{name}: ARCHITECTURE.md and the lints in its lib.rs differ");
    }
}

/// The tests compile libraries with `lints.sh`, which skips most lints for them.
#[test]
fn a_library_that_breaks_its_own_lints_does_not_compile() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("library.rs");
    let compile = |body: &str| {
        let lints = "#![cfg_attr(not(test), warn(clippy::disallowed_methods))]";
        fs::write(&file, format!("{lints}\n#[must_use]\npub fn length() -> usize {{ {body} }}\n"))
            .expect("it can be written");
        let output = Command::new(root().join("xtask/lints.sh"))
            .args(["rustc", "--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
            .args([folder.path(), &file])
            .env("CLIPPY_CONF_DIR", root())
            .output()
            .expect("the script runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(compile("1"), (true, String::new()));
    let (compiles, said) = compile("std::fs::read(\"a\").map_or(0, |text| text.len())");
    assert!(!compiles && said.contains("disallowed_methods"), "{said}");
}

/// `env::args` and `env::vars` panic on text that is not UTF-8; `args_os` and `vars_os` do not.
#[test]
fn no_argument_or_variable_causes_a_panic() {
    fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
            match entry.path() {
                path if path.is_dir() => sources(&path, found),
                path if path.extension().is_some_and(|ending| ending == "rs") => found.push(path),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for package in packages() {
        let folder =
            Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned();
        ["src", "templates"]
            .map(|name| folder.join(name))
            .iter()
            .filter(|path| path.is_dir())
            .for_each(|path| sources(path, &mut found));
    }
    assert!(found.len() > 100, "{}", found.len());
    for path in found {
        let text = fs::read_to_string(&path).expect("sources are text");
        assert!(!text.contains("env::args()") && !text.contains("env::vars()"), "{}", path.display());
    }
}

/// A reader must find what the paths in ARCHITECTURE.md point to.
#[test]
fn paths_in_architecture_md_exist() {
    let text = architecture();
    let words = text.split('`').skip(1).step_by(2);
    let folders = ["crates/", "hosts/", "docs/", "xtask/", "conformance/", "examples/", "tools/"];
    let paths: Vec<&str> = words.filter(|word| folders.iter().any(|folder| word.starts_with(folder))).collect();
    assert!(paths.len() > 40, "{paths:?}");
    let missing: Vec<_> = paths.iter().filter(|path| !path.contains('*') && !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
