//! The commands as processes: arguments in; exit code, standard output and standard error out.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod atlas;
mod attaching;
#[path = "../../../tierup-ramp/tests/common/mod.rs"]
mod balancers;
mod bench;
mod brief;
mod broken;
mod build;
mod check;
mod ci;
mod depends;
mod doctor;
mod eject;
mod enclosing;
mod exit_codes;
mod hosts;
mod init;
mod init_function;
mod install;
mod links;
mod load_balancers;
mod mcp;
mod new;
mod package;
mod page_commands;
mod prepare;
mod profile;
mod profiling;
mod ramp;
mod reference;
mod rollout_page;
mod serve;
mod shadow;
mod stub;
mod without_rust;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// The manifest of a hot crate without dependencies.
const MANIFEST: &str = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// `tierup` in a folder, in an environment that makes its output the same on every machine.
fn tierup(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").env("COLUMNS", "100");
    // An unusable cache folder: by default, these commands need none of the Wasm tools.
    command.env("TIERUP_CACHE", "/dev/null/cache");
    // Projects still share the compiled dependencies.
    command.env("CARGO_BUILD_BUILD_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/cache/build"));
    for variable in ["TIERUP_TIER", "TIERUP_WORKERS", "TIERUP_FALLBACK", "PORT"] {
        command.env_remove(variable);
    }
    command
}

/// The exit code and output of a run, with `folder` replaced by `FOLDER`.
fn run(folder: &Path, arguments: &[&str]) -> String {
    shown(&tierup(folder, arguments).output().unwrap(), folder)
}

fn shown(output: &Output, folder: &Path) -> String {
    let real = fs::canonicalize(folder).unwrap();
    let clean = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.replace(real.to_str().unwrap(), "FOLDER").replace(folder.to_str().unwrap(), "FOLDER")
    };
    let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    format!("exit code: {code}\n-- stdout\n{}-- stderr\n{}", clean(&output.stdout), clean(&output.stderr))
}

/// Writes files below a folder.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["fly"][..], &[], &["serve", "--tier", "7"], &["serve", "--port", "0"], &["new", "x"]] {
        assert!(run(folder.path(), arguments).starts_with("exit code: 2\n"), "{arguments:?}");
    }
}
