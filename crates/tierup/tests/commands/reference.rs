//! Machine-readable descriptions of the program, and the lists in `docs/reference/`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{run, tierup};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_schema_names_every_host() {
    let output = tierup(Path::new("."), &["schema"]).output().unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosts = schema["properties"]["host"]["properties"].as_object().unwrap();
    for host in tierup::hosts::all() {
        assert!(hosts.contains_key(host.name()), "{}", host.name());
    }
}

#[test]
fn the_schema_of_a_check_is_printed() {
    let output = tierup(Path::new("."), &["schema", "check"]).output().unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&schema["title"], &schema["properties"]["format"]["const"]),
        (&"tierup check --json".into(), &1.into())
    );
}

#[test]
fn every_shell_completes_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = run(Path::new("."), &["completions", shell]);
        assert!(said.starts_with("exit code: 0\n"), "{shell}: {said}");
        assert!(["ceiling", "hostile-methods"].iter().all(|word| said.contains(word)), "{shell}: {said}");
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["man", "man1"]).starts_with("exit code: 0\n"));
    let page = |name: &str| fs::read_to_string(folder.path().join("man1").join(name)).unwrap();
    let main = page("tierup.1");
    for command in ["bench", "check", "profile", "schema"] {
        assert!(main.contains(&format!("tierup\\-{command}(1)")), "{main}");
        assert!(page(&format!("tierup-{command}.1")).contains(".SH OPTIONS"));
    }
    assert!(page("tierup-ramp-finish.1").contains("tierup"));
}

/// The names in a text that begin with `TIERUP_`.
fn variables(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c == '_';
    let names = text.split(|c: char| !is_part(c)).filter(|name| name.starts_with("TIERUP_"));
    names.map(str::to_owned).collect()
}

/// The files below a folder, without build output.
pub(crate) fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            // What others wrote, or was built.
            true if ["target", "node_modules", ".venv"].iter().any(|name| path.ends_with(name)) => {}
            true => below(&path, files),
            false => files.push(path),
        }
    }
}

/// A variable is read by a quoted name, or in shell syntax (`${TIERUP_…}`). Macros and error codes do not count.
#[test]
fn the_page_lists_every_variable_that_is_read() {
    let page = fs::read_to_string(repository().join("docs/reference/environment.md")).unwrap();
    let rows: BTreeSet<String> =
        page.lines().filter(|line| line.starts_with("| `TIERUP_")).flat_map(variables).collect();
    let mut files = Vec::new();
    for folder in ["crates", "hosts"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap().flatten() {
            let parts = ["src", "templates"].map(|part| entry.path().join(part));
            parts.iter().filter(|part| part.is_dir()).for_each(|part| below(part, &mut files));
        }
    }
    let mut read = BTreeSet::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for name in variables(&text) {
            let marks = [("\"", "\""), ("'", "'"), ("env.", ""), ("$_SERVER['", ""), ("${", ""), ("\"", "=")];
            if marks.iter().any(|(before, after)| text.contains(&format!("{before}{name}{after}"))) {
                read.insert(name);
            }
        }
    }
    // Variables between parts of tierup, error codes, and C.
    let others = [
        "TIERUP_BYTES", "TIERUP_DRIVER", "TIERUP_ERR", "TIERUP_MEMO_COUNTS", "TIERUP_NOTHING", "TIERUP_PANIC",
        "TIERUP_PROCESS_TREE", "TIERUP_RECORDING", "TIERUP_SAMPLES", "TIERUP_TEST_FULL_DISK", "TIERUP_TEXT",
        "TIERUP_TIMEOUT", "TIERUP_TRANSPORT", "TIERUP_UNAVAILABLE", "TIERUP_URL",
    ];
    let read: BTreeSet<String> = read.into_iter().filter(|name| !others.contains(&name.as_str())).collect();
    assert_eq!(rows, read, "docs/reference/environment.md and what the sources read");
}
