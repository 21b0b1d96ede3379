//! The Wasm tools that `2:bindgen` and `2:component` need: wasm-bindgen, wit-bindgen, wit-component and jco's library.
//!
//! In: what to do, a file, and a folder for what comes out. Out: files in that folder and exit code 0, or a reason on
//! standard error and exit code 1. tierup builds this program when one of the two variants is first asked for.

mod bind;
mod bindings;
mod component;
mod transpile;

use std::{env, fs, path::Path, process::ExitCode};

/// What came out: names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// From a file's bytes to files, or to a reason.
type Convert = fn(&[u8]) -> Result<Files, String>;

const USAGE: &str = "usage: tierup-wasm bindings|bind|transpile FILE FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (convert, from, into): (Convert, _, _) = match words[..] {
        ["bindings", from, into] => (bindings::bindings, from, into),
        ["bind", from, into] => (bind::bind, from, into),
        ["transpile", from, into] => (transpile::transpile, from, into),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = read(from).and_then(|bytes| convert(&bytes)).and_then(|files| write(&files, Path::new(into)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn read(file: &str) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("cannot read `{file}`: {error}"))
}

fn write(files: &Files, folder: &Path) -> Result<(), String> {
    for (name, content) in files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    }
    Ok(())
}
