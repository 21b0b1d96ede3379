//! The Wasm tools that `2:bindgen` and `2:component` need: wasm-bindgen, wit-bindgen, wit-component and jco's library.
//!
//! In: what to do, a file, and a folder for what comes out. Out: files in that folder and exit code 0, or a reason on
//! standard error and exit code 1. tierup builds this program when one of the two variants is first asked for.

mod bind;
mod bindings;
mod component;
mod transpile;

use std::{env, ffi::OsString, fs, path::Path, process::ExitCode};

/// The resulting files: names and contents.
type Files = Vec<(String, Vec<u8>)>;

/// From a file's bytes to files, or to a reason.
type Convert = fn(&[u8]) -> Result<Files, String>;

const USAGE: &str = "usage: tierup-wasm bindings|bind|transpile FILE FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let Some((convert, from, into)) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = read(from).and_then(|bytes| convert(&bytes)).and_then(|files| write(&files, into));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// What to do, the file and the folder. Paths may be anything that the system allows, not only UTF-8.
fn parse(arguments: &[OsString]) -> Option<(Convert, &Path, &Path)> {
    let [word, from, into] = arguments else { return None };
    let convert: Convert = match word.as_os_str().to_str()? {
        "bindings" => bindings::bindings,
        "bind" => bind::bind,
        "transpile" => transpile::transpile,
        _ => return None,
    };
    Some((convert, Path::new(from), Path::new(into)))
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))
}

fn write(files: &Files, folder: &Path) -> Result<(), String> {
    for (name, content) in files {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_need_not_be_utf_8() {
        use std::os::unix::ffi::OsStringExt as _;

        let folder = OsString::from_vec(b"/tmp/caf\xe9".to_vec());
        let arguments = ["bind".into(), "a.wasm".into(), folder.clone()];
        let (_, from, into) = parse(&arguments).expect("these are arguments");
        assert_eq!((from, into), (Path::new("a.wasm"), Path::new(&folder)));
        assert!(parse(&["bind".into()]).is_none());
        assert!(parse(&[folder.clone(), "a".into(), "b".into()]).is_none());
    }
}
