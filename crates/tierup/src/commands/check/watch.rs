//! `tierup check --watch`: compares the function in Rust with tier 0 after every save.
//!
//! In: a project. Out: a report after each save, with what is new since the last one, until Ctrl-C. Only the function is
//! compiled, without any host, and the answers of tier 0 are kept as long as only Rust files change. The files' times
//! are read ten times a second: a project has few files, and so no library is needed to watch them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use tierup_check::{Check, KeptControls, Report};
use tierup_codegen::quoted;
use tierup_project::{Loaded, shown};
use tierup_rows::{OTHERS, check_functions};
use tierup_runner::{Interrupts, Observer as _};

use super::Arguments;
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
    measure,
};

/// Time between two looks at the files.
const PERIOD: Duration = Duration::from_millis(100);
/// Files with other endings, such as logs, may change because the function is called.
const SOURCES: [&str; 16] =
    ["rs", "toml", "http", "har", "js", "cjs", "mjs", "ts", "mts", "cts", "py", "go", "java", "rb", "php", "ex"];
/// The folder whose files are all read.
const CORPUS: &str = "corpus";

/// The times and sizes of files.
type Files = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// What one run found: each mismatch by the identifier of its question.
type Found = BTreeMap<String, String>;

pub(super) fn watch(arguments: &Arguments, check: &Check, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let (mut kept, mut before) = (KeptControls::default(), None::<Found>);
    // Errors in the settings at the start end the command, as for every command.
    let mut folders = folders(&open(&arguments.project)?);
    loop {
        // A file that is saved during a run has another time afterwards.
        let files = files(&folders);
        let ran = open(&arguments.project).and_then(|loaded| {
            folders = self::folders(&loaded);
            run(arguments, check, Arc::new(loaded), &mut kept, console)
        });
        match ran {
            Ok(report) => before = Some(show(&report, before.as_ref(), arguments.json, console)?),
            Err(_) if interrupts.arrived() => return Ok(()),
            Err(Failure::Unread) => return Err(Failure::Unread),
            // Such as a function that does not compile yet.
            Err(failure) => console.failure(&failure),
        }
        console.note("waiting for a file to change; Ctrl-C ends");
        let changed = loop {
            if interrupts.arrived() {
                return Ok(());
            }
            let changed = differences(&files, &self::files(&folders));
            if !changed.is_empty() {
                break changed;
            }
            thread::sleep(PERIOD);
        };
        let names: Vec<String> = changed.iter().map(|file| shown(file)).collect();
        console.note(&format!("changed: {}", names.join(", ")));
        if !changed.iter().all(|file| is_rust(file)) {
            kept = KeptControls::default();
        }
    }
}

fn run(
    arguments: &Arguments,
    check: &Check,
    loaded: Arc<Loaded>,
    kept: &mut KeptControls,
    console: &mut Console,
) -> Result<Report> {
    let hosts = hosts::of_project(&loaded, &arguments.hosts, console)?;
    let again = format!("tierup check {}", quoted(&shown(&loaded.folder)));
    check_functions(check, &loaded, &hosts, &again, kept, console)
}

/// Prints a report, and what is new in it. As JSON, it is one line.
fn show(report: &Report, before: Option<&Found>, json: bool, console: &Console) -> Result<Found> {
    let mismatches = report.parts.iter().flat_map(|part| &part.mismatches);
    let found: Found =
        mismatches.map(|mismatch| (mismatch.counterexample.id.clone(), mismatch.input.clone())).collect();
    if json {
        let line = serde_json::to_string(report).map_err(|error| Failure::because("cannot write the report", error))?;
        console.data(&line)?;
    } else {
        measure::show(report, false, console)?;
    }
    if let Some(before) = before {
        let fixed = before.iter().filter(|(id, _)| !found.contains_key(*id));
        let new = found.iter().filter(|(id, _)| !before.contains_key(*id));
        let line = |what: &str, input: &String| console.note(&format!("{what}: {}", input.replace('\n', " ")));
        fixed.for_each(|(_, input)| line("no longer differs", input));
        new.for_each(|(_, input)| line("differs now", input));
    }
    Ok(found)
}

/// The folders whose files decide about the result.
fn folders(loaded: &Loaded) -> BTreeSet<PathBuf> {
    let servers = loaded.hosts.iter().map(|(_, settings)| settings.folder.clone());
    [loaded.folder.clone(), loaded.project.crate_folder.clone()].into_iter().chain(servers).collect()
}

fn files(folders: &BTreeSet<PathBuf>) -> Files {
    let mut found = Files::new();
    folders.iter().for_each(|folder| below(folder, false, &mut found));
    found
}

fn below(folder: &Path, is_corpus: bool, found: &mut Files) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if name.starts_with('.') || OTHERS.contains(&&*name) {
            continue;
        }
        let is_source = || path.extension().and_then(|end| end.to_str()).is_some_and(|end| SOURCES.contains(&end));
        if kind.is_dir() {
            below(&path, is_corpus || name == CORPUS, found);
        } else if (is_corpus || is_source())
            && let Ok(about) = fs::metadata(&path)
        {
            found.insert(path, (about.modified().ok(), about.len()));
        }
    }
}

/// The files that one of both lacks, or has with another time or size.
fn differences(before: &Files, after: &Files) -> BTreeSet<PathBuf> {
    let changed = after.iter().filter(|(file, about)| before.get(*file) != Some(*about)).map(|(file, _)| file);
    let gone = before.keys().filter(|file| !after.contains_key(*file));
    changed.chain(gone).cloned().collect()
}

/// Whether tier 0 answers the same after a change of this file.
fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "rs") || file.file_name().is_some_and(|name| name == "Cargo.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_watched_and_what_a_run_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let folders = BTreeSet::from([folder.path().to_owned()]);
        write("src/lib.rs", "1");
        write("corpus/f/1.bin", "1");
        let before = files(&folders);
        assert_eq!(before.len(), 2);
        for name in ["log.txt", ".tierup/a.rs", "target/a.rs", "node_modules/a.js", "__pycache__/a.py"] {
            write(name, "1");
        }
        assert!(differences(&before, &files(&folders)).is_empty());
        write("src/lib.rs", "12");
        write("server.js", "1");
        fs::remove_file(folder.path().join("corpus/f/1.bin")).unwrap();
        let changed = differences(&before, &files(&folders));
        let names: Vec<_> = changed.iter().map(|file| file.strip_prefix(folder.path()).unwrap()).collect();
        assert_eq!(names, ["corpus/f/1.bin", "server.js", "src/lib.rs"].map(Path::new));
        assert_eq!(changed.iter().map(|file| is_rust(file)).collect::<Vec<_>>(), [false, false, true]);
    }
}
