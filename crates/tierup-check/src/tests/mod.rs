//! Tests without a host, a toolchain or the program `tierup`: a driver is a script, and servers run in the test.

mod cases;
mod functions;
mod inputs;
mod inside;
#[path = "../../tests/addresses/server.rs"]
mod raw;
mod reports;
mod schema;
mod servers;

use std::{fs, path::Path};

use tempfile::TempDir;
use tierup_parity::Methods;
use tierup_project::{Loaded, open};

use crate::{Check, Only};

const MANIFEST: &str = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
/// `echo` takes a text. `pair` takes bytes and a number, which JSON cannot represent in all cases.
const SOURCE: &str = "pub fn echo(text: &str) -> Result<String, String> { Ok(text.into()) }\n\
                      pub fn pair(number: f64, bytes: &[u8]) -> f64 { number }\n";

/// A project that exports these functions. `more` is added at the end of its settings.
fn project(export: &str, more: &str) -> (TempDir, Loaded) {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!("[function]\ncrate = \".\"\nexport = {export}\n[host]\n{more}");
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE), ("tierup.toml", &settings)]);
    let loaded = open(folder.path(), &[]).unwrap();
    // `tierup build` makes this folder, in which drivers start.
    fs::create_dir(&loaded.work).unwrap();
    (folder, loaded)
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Half of a check, with nothing hostile and all mismatches shown.
fn half(only: Only) -> Check {
    Check {
        only: Some(only),
        cases: 40,
        hostile: 0,
        methods: Methods::Safe,
        seed: 1,
        show: 1000,
        requests: None,
        case: None,
        command: "tierup check words".to_owned(),
    }
}
