//! The generated package, for the functions of `conformance/`: every type, every hostile name.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use conformance::{of_text, project, write};
use tierup_codegen::{HostSettings, Project};
use tierup_host_java::java;

fn settings(folder: PathBuf, baselines: &[(&str, &str)]) -> HostSettings {
    let baselines = baselines
        .iter()
        .map(|(label, name)| ((!label.is_empty()).then(|| (*label).to_owned()), (*name).to_owned()))
        .collect();
    HostSettings { folder, install: Default::default(), start: vec![], prepare: vec![], baselines }
}

/// Writes a package and its driver below an empty folder. Tests run concurrently, so each has a folder.
fn written(folder: &Path, project: &Project, settings: &HostSettings) {
    let _ = fs::remove_dir_all(folder);
    write(folder, &java().package(project, settings).unwrap());
    write(folder, &java().driver(project, settings).0);
}

/// Runs Maven, asserts that it succeeds, and returns its output.
fn maven(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("mvn")
        .args(["--batch-mode", "--no-transfer-progress"])
        .args(arguments)
        .current_dir(folder)
        .env_remove("TIERUP_TIER")
        .output()
        .unwrap_or_else(|error| panic!("mvn: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "mvn {arguments:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Makes every warning of javac an error.
const STRICT: [&str; 2] = ["-Dmaven.compiler.showWarnings=true", "-Dmaven.compiler.failOnWarning=true"];

fn target(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(name)
}

#[test]
fn every_generated_file_says_what_made_it() {
    let files = java().package(&project(), &settings(PathBuf::new(), &[])).unwrap();
    for (name, content) in files.iter().filter(|(name, _)| name.ends_with(".java")) {
        let first = std::str::from_utf8(content).unwrap().lines().next().unwrap();
        assert!(first.starts_with("// Made by tierup") && first.ends_with("Do not edit."), "{name}: {first}");
    }
}

/// No placeholder of a template is left.
#[test]
fn no_generated_file_has_a_placeholder() {
    let files = java().package(&project(), &settings(PathBuf::new(), &[])).unwrap();
    for (name, content) in files.iter() {
        let text = std::str::from_utf8(content).unwrap();
        assert!(!text.contains("{{"), "{name}: {text}");
    }
}

/// Names and documentation that Java or Javadoc could misread.
#[test]
fn hostile_names_and_documentation_give_valid_java() {
    let source = r#"
//! First line
//! # Heading
//! - item
//!
//! \u002a/ {@link x} <b> & @param */ /*
//!
//! ```
//! code
//! ```

/// @deprecated no.
pub struct Record { pub r#type: u8, pub hash_code: Option<Vec<u8>>, pub नाम: String, /** Documented */ pub x: Option<Word>, pub _y: Vec<Vec<Option<String>>> }

pub struct Undocumented { pub a: u64, pub long_name: std::collections::HashMap<String, Vec<Word>>, pub größe: Option<Record> }

pub struct String2 { pub tierup_other: Vec<u8>, pub other: bool, pub to_string: u8 }

pub enum Word { /// # Title
    Binding, Options, Word, }

/// - only
pub enum Case {
    ///
    Value(Vec<Undocumented>), Two(u8, u8), String { value: Word, string: String }, None, Case(String2), Word { of: u64, place: u8, refusal: u16 } }

/// Words.
pub fn synchronized(to: &str, own: u8, crossing: Option<Case>, tierup_end: Vec<Case>, string: &[u8], variant: Word, e: Option<Word>, _0: bool, from: bool, value: bool) -> Result<Option<Case>, String> { unreachable!() }
pub fn wait() {}
pub fn get_class(r#final: Vec<Option<Vec<u8>>>) -> Vec<std::collections::BTreeMap<String, Option<Word>>> { unreachable!() }
pub fn finalize() -> Option<Vec<u64>> { unreachable!() }
"#;
    let project = of_text("synchronized", &["synchronized", "wait", "get_class", "finalize"], source);
    let folder = target("hostile");
    written(&folder, &project, &settings(PathBuf::new(), &[]));
    maven(&folder, &[&["--quiet", "compile"], &STRICT[..]].concat());
}

/// The smallest interface must not use code that it lacks.
#[test]
fn a_function_without_arguments_and_value_gives_valid_java() {
    let project = of_text("nothing", &["nothing"], "pub fn nothing() {}");
    let folder = target("nothing");
    written(&folder, &project, &settings(PathBuf::new(), &[]));
    maven(&folder, &[&["--quiet", "compile"], &STRICT[..]].concat());
}

/// Runs `tests/java`: tests of the package and its driver without anything built. Javadoc must report nothing.
#[test]
fn the_package_passes_its_java_tests() {
    let folder = target("java-behaviour");
    let server = folder.join("server");
    let settings = settings(
        server.clone(),
        &[
            ("", "server.Own"),
            ("tuned", "server.Own::echoText"),
            ("plain", "server.Other::echoU8"),
            ("other", "server.Other::wrong"),
            ("unnamed", "own.js"),
        ],
    );
    written(&folder, &project(), &settings);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java"), &server);
    let package = format!("-Dpackage={}", folder.display());
    let goals = ["--quiet", "--file", "with-server", package.as_str(), "test"];
    maven(&folder, &[&goals, &STRICT[..]].concat());
    maven(&folder, &["--quiet", "javadoc:javadoc", "-Dmaven.javadoc.failOnWarnings=true", "-Ddoclint=all,-missing"]);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "target") {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_package_that_maven_cannot_name_is_refused() {
    let mut project = project();
    project.interface.package = "größe".into();
    let refused = java().package(&project, &settings(PathBuf::new(), &[])).unwrap_err();
    assert!(refused.contains("ASCII letters"), "{refused}");
}
