//! `tierup profile` of a real server: the function that the example names is the first candidate.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{passed, tierup};

#[test]
fn the_examples_function_is_the_first_candidate_in_node() {
    check("node", "generateQrCode");
}

#[test]
fn the_examples_function_is_the_first_candidate_in_python() {
    check("python", "generate_qr_code");
}

fn check(host: &str, function: &str) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("qr");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/qr"), &project);
    let mut command = tierup(&project, &["profile", "--host", host, "--format", "json"]);
    if host == "python" {
        command.env("PATH", with_py_spy(folder.path()));
    }
    let report: Value = serde_json::from_str(&passed("profile", &command.output().unwrap())).unwrap();
    let functions = report["functions"].as_array().unwrap();
    let candidate = functions.iter().find(|function| function["candidate"] == true).unwrap();
    let name = candidate["function"].as_str().unwrap();
    assert!(name.ends_with(function), "{name} rather than {function}: {report:#}");
    assert_eq!(report["shares_of"], "process tree", "{report:#}");
    let rest = report["rest"].as_array().unwrap().iter().chain(functions);
    let sum: f64 = rest.map(|row| row["self"]["value"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
}

/// A `PATH` with py-spy on it, as a user has it after `pip install py-spy`.
fn with_py_spy(folder: &Path) -> String {
    let environment = folder.join("environment");
    let run = |program: &Path, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(folder).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    run(Path::new("python3"), &["-m", "venv", "environment"]);
    run(&environment.join("bin/pip"), &["install", "--quiet", "--disable-pip-version-check", "py-spy==0.4.3"]);
    // The server's own Python stays the first on the path.
    let programs = folder.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::copy(environment.join("bin/py-spy"), programs.join("py-spy")).unwrap();
    let paths: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap()).chain([programs]).collect();
    env::join_paths(paths).unwrap().into_string().unwrap()
}

/// Copies the example without what was built in it.
fn copy(from: &Path, to: &Path) {
    const BUILT: &[&str] = &[".tierup", "node_modules", ".venv", "target", "server", "__pycache__"];
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if BUILT.iter().any(|built| name == *built) {
            continue;
        }
        if path.is_dir() { copy(&path, &to.join(name)) } else { fs::copy(&path, to.join(name)).map(drop).unwrap() }
    }
}
