//! The size of each host: its lines of Rust and of templates, and the shared files that name it.
//!
//! In: the folders of the hosts. Out: a table for people.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    hosts::{self, MINIMAL},
    repository::{answer, root},
};

/// One host's size.
struct Cost {
    folder: String,
    rust: Lines,
    templates: Lines,
    tests: Lines,
}

/// An amount of code.
#[derive(Debug, Default)]
struct Lines {
    lines: usize,
    files: usize,
}

/// The minimal host, then all hosts that `tierup` lists.
pub(crate) fn table() -> String {
    let listed = hosts::all().into_iter().map(|host| format!("hosts/{}", host.host));
    let mut text = format!("{:<26}{:>13}{:>13}{:>13}\n", "lines (files)", "Rust", "templates", "tests");
    for cost in std::iter::once(MINIMAL.to_owned()).chain(listed).map(cost) {
        let Cost { folder, rust, templates, tests } = cost;
        let _ = writeln!(text, "{folder:<26}{:>13}{:>13}{:>13}", rust.shown(), templates.shown(), tests.shown());
    }
    text.push_str("\nshared files that name a host:\n");
    for file in shared_files() {
        let _ = writeln!(text, "  {file}");
    }
    text
}

fn cost(folder: String) -> Cost {
    let of = |part: &str, ending: &str| {
        let mut files = Vec::new();
        collect(&root().join(&folder).join(part), &mut files);
        files.retain(|file| file.to_string_lossy().ends_with(ending));
        let lines = files.iter().map(|file| fs::read_to_string(file).unwrap_or_default().lines().count()).sum();
        Lines { lines, files: files.len() }
    };
    let (rust, templates, tests) = (of("src", ".rs"), of("templates", ""), of("tests", ""));
    Cost { folder, rust, templates, tests }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}

/// The files outside the hosts' folders that register their crates. Excludes lock files, which follow by themselves,
/// and tests, fuzz targets and their dependencies, which a new host does not need.
fn shared_files() -> Vec<String> {
    let arguments = ["grep", "--files-with-matches", "--extended-regexp", "tierup[-_]host[-_][a-z]+", "--", "*.toml"];
    let elsewhere =
        ["*.rs", ":!hosts/*", ":!conformance/*", ":!fuzz/*", ":!xtask/*", ":!crates/*/tests/*", ":!*/tests.rs"];
    let found = answer("git", &[&arguments[..], &elsewhere[..]].concat()).unwrap_or_default();
    found.lines().filter(|file| registers(file)).map(str::to_owned).collect()
}

/// Whether a file names a host's crate other than as a dev-dependency.
fn registers(file: &str) -> bool {
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    text.split("[dev-dependencies]")
        .next()
        .is_some_and(|text| text.contains("tierup-host-") || !file.ends_with(".toml"))
}

impl Lines {
    fn shown(&self) -> String {
        format!("{} ({})", self.lines, self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_in_three_shared_files() {
        assert_eq!(shared_files(), ["Cargo.toml", "crates/tierup/Cargo.toml", "crates/tierup/src/hosts.rs"]);
    }

    #[test]
    fn every_host_has_rust_and_templates() {
        let minimal = cost(MINIMAL.to_owned());
        assert!(minimal.rust.files >= 5 && minimal.templates.lines > 300 && minimal.tests.files > 2);
        assert!(table().contains("hosts/java"), "{}", table());
    }
}
