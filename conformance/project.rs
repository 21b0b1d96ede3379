//! What hosts' own tests make packages of: this project, and projects of a few lines.
//!
//! In: this folder, or a crate's texts. Out: a `Project`, without anything built. The tests include this file as a module.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use tierup_codegen::{Files, Health, Project};
use tierup_model::{CrateInfo, read_interface};

/// This project, with `echo_text("golden")` as its golden call.
pub(crate) fn project() -> Project {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let sources: HashMap<String, String> = fs::read_dir(folder.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (format!("src/{}", path.file_name().unwrap().to_str().unwrap()), fs::read_to_string(path).unwrap()))
        .collect();
    let settings = fs::read_to_string(folder.join("tierup.toml")).unwrap();
    let export = settings.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let export: Vec<&str> = export.collect();
    let mut project = of("conformance", &export, &sources);
    project.crate_folder = folder;
    let function = project.interface.functions.iter().position(|function| function.name == "echo_text").unwrap();
    let sha256 = vec!["dd56de4137951d9c92681b03416ec15f886b4482a27e3a517d32f085244cbe5d".to_owned()];
    project.health = Some(Health { function, arguments: b"\x06\0\0\0golden".to_vec(), sha256 });
    project
}

/// A project of a crate with this text.
#[allow(dead_code, reason = "not every host's tests need one")]
pub(crate) fn of_text(name: &str, export: &[&str], text: &str) -> Project {
    of(name, export, &HashMap::from([("src/lib.rs".to_owned(), text.to_owned())]))
}

fn of(name: &str, export: &[&str], sources: &HashMap<String, String>) -> Project {
    let library = name.replace('-', "_");
    let info = CrateInfo { package: name.into(), library, version: "0.1.0".into(), root: "src/lib.rs".into() };
    let export: Vec<String> = export.iter().map(|name| (*name).to_owned()).collect();
    let interface = read_interface(&info, &export, sources).unwrap();
    Project { interface, ..Project::default() }
}

/// Writes a package's files.
pub(crate) fn write(folder: &Path, files: &Files) {
    for (name, content) in files.iter() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Checks what a server without anything built makes of `TIERUP_FALLBACK`: the rule of `docs/reference/environment.md`, for packages
/// that are committed and others. `served` runs it with these variables, and gives its output and its errors.
#[allow(dead_code, reason = "not every host has a list there")]
pub(crate) fn check_fallbacks(served: impl Fn(&[(&str, &str)]) -> (String, String)) {
    let at = |tier: &str, listed: &str| served(&[("TIERUP_TIER", tier), ("TIERUP_FALLBACK", listed)]);
    let permits = "nor at what TIERUP_FALLBACK permits:";
    for off in ["", "0", " 0 ", ","] {
        let (out, err) = at("3", off);
        assert!(out.is_empty() && err.contains("cannot run at tier 3") && !err.contains(permits), "{off}: {out}{err}");
    }
    for listed in ["1", " 1", "2:core,0", "2:core, 0 ", "0,", "0:tuned,0"] {
        let (out, err) = at("3", listed);
        assert!(out.starts_with("0 ") && err.ends_with("; falling back to tier 0\n"), "{listed}: {out}{err}");
        assert_eq!(err.lines().count(), 1, "{listed}: {err}");
    }
    let (out, err) = at("3", "0:tuned,2:core");
    let why = format!("{permits}\n  tier 0:tuned needs the function that conformance replaces");
    let also = "\n  conformance cannot run at tier 2:core: ";
    assert!(out.is_empty() && err.contains(&why) && err.contains(also), "{out}{err}");
    for (listed, word) in [("nonsense", "nonsense"), ("2:core,sure", "sure"), ("2", "2"), ("1,0", "1")] {
        for tier in ["3", "0"] {
            let (out, err) = at(tier, listed);
            let why = format!("TIERUP_FALLBACK: {word} is no variant: use 1, or a list of 0 and 3:native, ");
            assert!(out.is_empty() && err.contains(&why), "{listed} at {tier}: {out}{err}");
        }
    }
}
