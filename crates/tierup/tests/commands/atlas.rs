//! The projects in `atlas/` can be read: their settings, signatures and inputs. No test builds them, as that takes minutes;
//! `cargo xtask atlas` does.

use std::{fs, path::PathBuf};

use tierup_project::{Arguments, Source};
use tierup_runner::Quiet;

use crate::reference::repository;

fn projects() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join("atlas")).unwrap().flatten();
    let projects: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    assert!(projects.len() > 1, "{projects:?}");
    projects
}

#[test]
fn every_size_has_inputs() {
    for project in projects() {
        let loaded = tierup::hosts::open(&project).unwrap_or_else(|error| panic!("{}: {error}", project.display()));
        for size in ["small", "medium", "large"] {
            let file = project.join(format!("{size}.http"));
            let read = Arguments::read(&loaded, &Source::File(file.clone()), 1, &mut Quiet);
            let arguments = read.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert_eq!(arguments.functions.len(), 1, "{}", file.display());
            assert_eq!(arguments.notes, Vec::<String>::new(), "{}", file.display());
        }
    }
}

/// A host's libraries in `atlas.toml` are its baselines in `tierup.toml`.
#[test]
fn every_baseline_is_described() {
    for project in projects() {
        let loaded = tierup::hosts::open(&project).unwrap_or_else(|error| panic!("{}: {error}", project.display()));
        let about = fs::read_to_string(project.join("atlas.toml")).unwrap();
        for (host, settings) in &loaded.hosts {
            let table = format!("[libraries.{}]", host.name());
            let lines = about.lines().skip_while(|line| *line != table).skip(1).take_while(|line| !line.is_empty());
            let described: Vec<String> = lines.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).collect();
            let label = |label: &Option<String>| label.as_ref().map_or("0".to_owned(), |label| format!("0:{label}"));
            let baselines: Vec<String> = settings.baselines.iter().map(|(one, _)| label(one)).collect();
            assert_eq!(described, baselines, "{}: {table}", project.display());
            assert!(settings.folder.is_dir(), "{}", settings.folder.display());
        }
        assert_eq!(about.matches("[libraries.").count(), loaded.hosts.len(), "{}", project.display());
        assert!(project.join("Cargo.lock").is_file(), "{}", project.display());
    }
}

#[test]
fn every_function_is_short() {
    for project in projects() {
        let source = fs::read_to_string(project.join("src/lib.rs")).unwrap();
        assert!(source.lines().count() < 60, "{}", project.display());
    }
}
