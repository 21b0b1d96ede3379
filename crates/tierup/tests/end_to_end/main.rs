//! The way of a user from an empty folder: `new`, `build`, `serve` at every tier; and builds that fail, are
//! interrupted, or run twice.
//!
//! One project for all of it, as compiling the shims' dependencies takes most of the time.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]
#![cfg(unix)]

mod alternatives;
mod check;
#[cfg(target_os = "linux")]
mod dockerfile;
mod function;
mod go;
mod hosts;
#[cfg(target_os = "linux")]
mod image;
mod in_process;
mod inside;
mod java;
mod json;
mod memo;
mod package;
mod profile;
mod stub;
mod watch;

use std::{
    env, fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use tierup_codegen::Variant;
use tierup_runner::port;

const PATIENCE: Duration = Duration::from_secs(300);

#[test]
fn a_new_node_project_runs_at_every_tier() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap());

    interrupted_build_leaves_nothing(&project);
    let table = passed("build", &tierup(&project, &["build"]).output().unwrap());
    for variant in Variant::ALL {
        assert!(row(&table, variant).contains("built"), "{table}");
    }
    second_build_changes_nothing(&project);
    in_process::calls_are_timed(&project);
    inside::a_function_is_rolled_out_without_requests(&project);
    check::every_row_answers_alike(&project);
    let rows = Variant::ALL.map(|variant| variant.name());
    for tier in ["0", "0:free", "1", "2", "3", "4"].into_iter().chain(rows.iter().map(String::as_str)) {
        serve(&project, "node", tier);
    }
    command_line(&project);
    no_wasm(&project);
    broken_crate(&project);
    ejected_server(&project);
}

/// Ctrl-C during a build: nothing counts as built, no process is left, and the next build continues.
fn interrupted_build_leaves_nothing(project: &Path) {
    let mut build = tierup(project, &["build", "--tiers", "1"]).stderr(Stdio::piped()).spawn().unwrap();
    let record = project.join(".tierup/node/built.json");
    wait("the build begins", || record.exists() && project.join(".tierup/target").exists());
    thread::sleep(Duration::from_millis(500));
    interrupt(&build);
    assert_eq!(build.wait().unwrap().code(), Some(130));
    assert!(!fs::read_to_string(record).unwrap().contains("1:spawn"));
    let target = project.join(".tierup").display().to_string();
    let processes = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let processes = String::from_utf8_lossy(&processes.stdout).into_owned();
    assert!(!processes.lines().any(|line| line.contains("rustc") && line.contains(&target)), "{processes}");
}

fn second_build_changes_nothing(project: &Path) {
    let artifacts = project.join(".tierup/node/artifacts");
    let before = times(&artifacts);
    assert!(before.len() > 5, "{before:?}");
    passed("second build", &tierup(project, &["build"]).output().unwrap());
    assert_eq!(times(&artifacts), before);
}

fn serve(project: &Path, host: &str, tier: &str) {
    serve_by(tierup, project, host, tier);
}

fn serve_by(tierup: fn(&Path, &[&str]) -> Command, project: &Path, host: &str, tier: &str) {
    let port = port::free().unwrap();
    let arguments = ["serve", "--host", host, "--tier", tier, "--port", &port.to_string()];
    let mut server = Running(tierup(project, &arguments).spawn().unwrap());
    wait("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    assert_eq!(get(port, "/slug?text=Hello%2C+World%21"), (200, "hello-world".into()), "{tier}");
    assert_eq!(get(port, "/slug?text=%21"), (400, "text has no letters or digits".into()), "{tier}");
    assert_eq!(get(port, "/readyz").0, 200, "{tier}");
    interrupt(&server.0);
    assert_eq!(server.0.wait().unwrap().code(), Some(0), "{tier}");
    port::check_free(port).unwrap();
}

/// Users can run the program of tier 1 on the command line.
fn command_line(project: &Path) {
    let program = project.join(".tierup/node/artifacts/slug");
    let said = Command::new(&program).arg("Hello, World!").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "hello-world");
    assert_eq!(Command::new(&program).arg("!").output().unwrap().status.code(), Some(1));
    assert_eq!(Command::new(&program).args(["a", "b"]).output().unwrap().status.code(), Some(2));
}

/// A crate that does not compile to Wasm is a reason in the table, and an error only if that tier is requested.
fn no_wasm(project: &Path) {
    let library = project.join("src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    fs::write(
        &library,
        format!("{text}\n#[cfg(target_arch = \"wasm32\")]\ncompile_error!(\"there is no clock here\");\n"),
    )
    .unwrap();
    let table = passed("build without Wasm", &tierup(project, &["build"]).output().unwrap());
    for variant in [Variant::Bindgen, Variant::Core, Variant::Component] {
        let row = row(&table, variant);
        assert!(
            row.contains(" no ")
                && row.contains("`slug` does not compile to wasm32-unknown-unknown: there is no clock here"),
            "{row}"
        );
    }
    assert!(row(&table, Variant::Native).contains("built"));
    let asked = tierup(project, &["build", "--tiers", "2:core"]).output().unwrap();
    assert_eq!(asked.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&asked.stderr).contains("there is no clock here"));
    fs::write(&library, text).unwrap();
}

/// A crate that does not compile: rustc's errors are shown, and nothing counts as built.
fn broken_crate(project: &Path) {
    let library = project.join("src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    fs::write(&library, format!("{text}\nfn broken() -> u8 {{ \"text\" }}\n")).unwrap();
    let build = tierup(project, &["build"]).output().unwrap();
    let errors = String::from_utf8_lossy(&build.stderr);
    assert_eq!(build.status.code(), Some(3), "{errors}");
    assert!(errors.contains("error[E0308]: mismatched types") && errors.contains("src/lib.rs"), "{errors}");
    assert!(errors.contains("error: your crate `slug` does not compile, for 1:spawn"), "{errors}");
    assert!(errors.contains("hint: `cargo check` in . shows the same error"), "{errors}");
    let record = fs::read_to_string(project.join(".tierup/node/built.json")).unwrap();
    assert!(!record.contains("1:spawn"), "{record}");
    fs::write(&library, text).unwrap();
}

fn ejected_server(project: &Path) {
    passed("eject", &tierup(project, &["eject", "server"]).output().unwrap());
    let routes = project.join("server/src/main.rs");
    assert!(routes.exists());
    serve(project, "node", "4");
}

/// A server that is stopped even if its test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = Command::new("kill").arg(self.0.id().to_string()).status();
            let _ = self.0.wait();
        }
    }
}

fn tierup(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
    command.current_dir(folder).args(arguments).env_remove("TIERUP_TIER").env_remove("TIERUP_WORKERS");
    command
}

/// Whether this is the weekly run, which tests more.
fn is_long() -> bool {
    env::var_os("TIERUP_LONG").is_some_and(|value| value == "1")
}

fn passed(what: &str, output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// A variant's line in the build's table.
fn row(table: &str, variant: Variant) -> String {
    let name = variant.name();
    table
        .lines()
        .find(|line| line.split_whitespace().nth(1) == Some(&name))
        .unwrap_or_else(|| panic!("{name}\n{table}"))
        .to_owned()
}

fn wait(what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

fn get(port: u16, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned())
}

/// The modification time of each file below a folder.
fn times(folder: &Path) -> Vec<(PathBuf, SystemTime)> {
    let mut times = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            times.extend(self::times(&path));
        } else {
            times.push((path.clone(), fs::metadata(&path).unwrap().modified().unwrap()));
        }
    }
    times.sort();
    times
}

/// Two projects of this host with similar names, built for tier 3. Each answer names its project.
fn two_packages(folder: &Path, host: &str) {
    for (name, word) in [("one-word", "one"), ("one_word", "other")] {
        let project = folder.join(name);
        passed("new", &tierup(folder, &["new", name, "--host", host]).output().unwrap());
        let source = format!(
            "/// Says which package it is of.\npub fn slugify(text: &str) -> Result<String, String> {{\n    \
             if text.is_empty() {{ panic!(\"nothing for {word}\") }}\n    Ok(format!(\"{{text}} {word}\"))\n}}\n"
        );
        fs::write(project.join("src/lib.rs"), source).unwrap();
        passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    }
}

/// Checks the output of a program that calls both, first with an empty text, which panics.
fn both_answered(said: &str) {
    assert!(said.starts_with("nothing for one, at one-word/src/lib.rs:3:"), "{said}");
    assert!(said.contains("nothing for other, at one_word/src/lib.rs:3:"), "{said}");
    assert!(said.ends_with("x one\nx other\n"), "{said}");
}
