//! The project `conformance/` as its generators see it, for this host.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use tierup_codegen::{Files, HostSettings, InstallBy, Project, Server};
use tierup_model::{CrateInfo, read_interface};
use tierup_runner::write_file;

/// All functions that `conformance/tierup.toml` exports.
pub(crate) fn conformance() -> Project {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let sources: HashMap<String, String> = fs::read_dir(folder.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (format!("src/{}", path.file_name().unwrap().to_str().unwrap()), fs::read_to_string(path).unwrap()))
        .collect();
    let settings = fs::read_to_string(folder.join("tierup.toml")).unwrap();
    let export = settings.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    let export: Vec<String> = export.map(str::to_owned).collect();
    let package = "conformance".to_owned();
    let (version, root) = ("0.1.0".to_owned(), "src/lib.rs".to_owned());
    let info = CrateInfo { library: package.clone(), package, version, root };
    let interface = read_interface(&info, &export, &sources).unwrap();
    Project { interface, crate_folder: folder, routes: vec![], server: Server::None, health: None }
}

/// What `[host.perl]` in `tierup.toml` would say: the baselines are modules in `tests/perl`.
pub(crate) fn settings() -> HostSettings {
    HostSettings {
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perl"),
        install: InstallBy::Nobody,
        prepare: vec![],
        start: vec![],
        baselines: vec![(None, "Own".to_owned()), (Some("text".to_owned()), "OwnText".to_owned())],
    }
}

/// Leaves alone what has not changed, so that cargo does not build it again.
pub(crate) fn write_below(folder: &Path, files: &Files) {
    for (name, content) in files.iter() {
        write_file(&folder.join(name), content).unwrap();
    }
}
