//! `2:component` from source to calls in Node: every type in both directions, errors, panics, names with a meaning.

#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tierup_codegen::shims::{component, workspace};
use tierup_codegen::{Files, HostSettings, Machine, Project, Variant};
use tierup_host_node::node;
use tierup_model::{CrateInfo, Interface, read_interface};
use tierup_runner::{Quiet, Workshop, carry_out, write_file};

/// The hot crate, and the script that Node runs with it.
const LIBRARY: &str = include_str!("../../../crates/tierup-codegen/src/shims/component/tests/everything.rs");
const SCRIPT: &str = include_str!("component/run.js");

#[test]
fn every_type_passes_in_both_directions() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join("component");
    let interface = interface();
    let project = Project { interface: interface.clone(), crate_folder: folder.join("hot"), ..Project::default() };
    let manifest = "[package]\nname = \"everything\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    write(&Files::new().with("hot/Cargo.toml", manifest).with("hot/src/lib.rs", LIBRARY), &folder);

    let settings = HostSettings {
        folder: folder.clone(),
        install: Default::default(),
        prepare: vec![],
        start: vec![],
        baselines: vec![],
    };
    let package = node().package(&project, &settings).unwrap();
    write(&package, &folder.join(".tierup/node"));
    write(&workspace(&project, &["component".to_owned()]), &folder.join(".tierup"));
    let workshop = workshop(folder.join(".tierup"));
    for recipe in [component::component(&project), node().recipe(&project, Variant::Component, &Machine::this())] {
        write(&recipe.files, &folder.join(".tierup"));
        recipe.steps.iter().for_each(|step| drop(carry_out(step, &workshop, &mut Quiet).unwrap()));
    }

    let names: Vec<_> = interface.functions.iter().map(|function| function.name.as_str()).collect();
    fs::write(folder.join("run.js"), SCRIPT).unwrap();
    run(Command::new("node").arg("run.js").args(names).current_dir(&folder));
}

fn interface() -> Interface {
    let text = |text: &str| text.to_owned();
    let info = CrateInfo {
        package: text("everything"),
        library: text("everything"),
        version: text("0.1.0"),
        root: text("src/lib.rs"),
    };
    let names = LIBRARY.split("pub fn ").skip(1).map(|rest| rest.split('(').next().unwrap().trim_start_matches("r#"));
    let export: Vec<String> = names.map(str::to_owned).collect();
    read_interface(&info, &export, &BTreeMap::from([(text("src/lib.rs"), text(LIBRARY))])).unwrap()
}

/// The Wasm tools are built once for all tests: `.cargo/config.toml` names the cache.
fn workshop(root: PathBuf) -> Workshop {
    let cache = PathBuf::from(env::var_os("TIERUP_CACHE").expect("cargo sets it"));
    let build_folder = ("CARGO_BUILD_BUILD_DIR".into(), cache.join("build").display().to_string());
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let this_machine = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned();
    Workshop { root, cache, environment: vec![build_folder], this_machine }
}

/// Does not touch unchanged files, so that cargo does not rebuild them.
fn write(files: &Files, folder: &Path) {
    for (name, content) in files.iter() {
        write_file(&folder.join(name), content).unwrap();
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
