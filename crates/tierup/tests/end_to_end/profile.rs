//! `tierup profile` of a real server: the example's function is the first candidate.

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
    let mut command = tierup(&project, &["profile", "--host", host, "--duration", "10s", "--format", "json"]);
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

const RUBY: &str = r##"
module Shop
  module_function

  def hot_function(count)
    sum = 0
    count.times { |number| sum += number * number }
    sum
  end

  def cold_function(count) = (1..count).sum { |number| number * 2 }
end

run ->(_) { [200, {}, [(Shop.hot_function(200_000) + Shop.cold_function(2_000)).to_s]] }
"##;

/// Both workers are forked from a process that has already loaded the sensor.
#[test]
fn the_hot_function_of_a_forking_ruby_server_is_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.ru"), RUBY).unwrap();
    fs::write(folder.path().join("requests.http"), "GET /\n").unwrap();
    let arguments = ["profile", "--requests", "requests.http", "--duration", "10s", "-c", "4", "--format", "json"];
    let server = "puma --workers 2 --threads 2:2 --preload --bind tcp://127.0.0.1:$PORT config.ru";
    let output = tierup(folder.path(), &arguments).args(["--command", server]).output().unwrap();
    let report: Value = serde_json::from_str(&passed("profile", &output)).unwrap();
    let functions = report["functions"].as_array().unwrap();
    let candidate = functions.iter().find(|function| function["candidate"] == true).unwrap();
    assert_eq!(candidate["function"], "Shop.hot_function", "{report:#}");
    // Time in its blocks, and in C functions that it calls, counts for it.
    assert!(candidate["total"]["value"].as_f64().unwrap() > 0.6, "{report:#}");
    assert_eq!(report["shares_of"], "process tree", "{report:#}");
    let allocated = &report["sensor"]["allocated_per_request"];
    assert_eq!(allocated["unit"], "objects", "{report:#}");
    assert!(allocated["value"].as_f64().unwrap() > 1.0, "{report:#}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("was not sampled"), "{said}");
}

/// A `PATH` with py-spy, as after `pip install py-spy`.
fn with_py_spy(folder: &Path) -> String {
    let environment = folder.join("environment");
    let run = |program: &Path, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).current_dir(folder).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    run(Path::new("python3"), &["-m", "venv", "environment"]);
    run(&environment.join("bin/pip"), &["install", "--quiet", "--disable-pip-version-check", "py-spy==0.4.3"]);
    // The server's own Python stays first on the path.
    let programs = folder.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::copy(environment.join("bin/py-spy"), programs.join("py-spy")).unwrap();
    let paths: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap()).chain([programs]).collect();
    env::join_paths(paths).unwrap().into_string().unwrap()
}

/// Copies the example without build output.
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

const GO: &str = r#"package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		sum := 0
		for number := range 1_000_000 {
			sum += number * number
		}
		fmt.Fprint(response, sum)
	})
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
"#;

/// A folder with a server in Go.
fn go() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("go.mod"), "module shop\n\ngo 1.22\n").unwrap();
    fs::write(folder.path().join("main.go"), GO).unwrap();
    fs::write(folder.path().join("requests.http"), "GET /\n").unwrap();
    folder
}

fn has_the_profiler(binary: &Path) -> bool {
    let content = fs::read(binary).unwrap();
    // Every Go binary contains the names of its source files.
    assert!(content.windows(7).any(|part| part == b"main.go"));
    content.windows(21).any(|part| part == b"tierup_profile_sensor")
        || content.windows(9).any(|part| part == b"sensor.go")
}

#[test]
fn a_go_server_is_built_again_without_the_profiler() {
    let folder = go();
    let arguments = ["profile", "--requests", "requests.http", "--duration", "4s", "-c", "4", "--format", "json"];
    let with_command =
        ["--command", "./server", "--prepare", "go build -o ./server . && cp server built-$(date +%s%N)"];
    let output = tierup(folder.path(), &arguments).args(with_command).output().unwrap();
    passed("profile", &output);
    assert!(!has_the_profiler(&folder.path().join("server")));
    let mut built: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("built-"))
        .collect();
    built.sort();
    let has: Vec<bool> = built.iter().map(|binary| has_the_profiler(binary)).collect();
    assert_eq!(has, [true, false]);
}

#[test]
fn a_build_that_keeps_the_profiler_is_reported() {
    let folder = go();
    let arguments = ["profile", "--requests", "requests.http", "--duration", "4s", "--command", "false"];
    fs::write(folder.path().join("jobs"), "1").unwrap();
    let prepare = ["--prepare", "go build -o server -p \"$(cat jobs)\" . && echo none > jobs"];
    let output = tierup(folder.path(), &arguments).args(prepare).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the server's build may still have the profiler in it"), "{said}");
    assert!(said.contains("exit code 1") && has_the_profiler(&folder.path().join("server")), "{said}");
}

/// `go env -w` writes a file, which the variable `GOFLAGS` would override.
#[test]
fn the_flags_of_go_env_apply() {
    let folder = go();
    fs::write(folder.path().join("env"), "GOFLAGS=-tags=special\n").unwrap();
    fs::write(folder.path().join("plain.go"), "//go:build !special\n\npackage main\n\nvar _ = notBuilt\n").unwrap();
    let arguments = ["profile", "--requests", "requests.http", "--duration", "4s", "-c", "4", "--format", "json"];
    let with_command = ["--command", "./server", "--prepare", "go build -o server ."];
    let mut command = tierup(folder.path(), &arguments);
    command.args(with_command).env("GOENV", folder.path().join("env")).env_remove("GOFLAGS");
    passed("profile", &command.output().unwrap());
}
