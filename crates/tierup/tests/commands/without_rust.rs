//! Commands that need no Rust work without it, and the others explain how to install it. The tests have all of this
//! machine's programs except Rust's.
#![cfg(unix)]

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{profiling::SPINNING, shown, tierup, write};

/// A folder with links to all programs except Rust's.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs-without-rust");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = env::var_os("PATH").unwrap();
    for program in env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let name = program.file_name();
        let is_rust = ["cargo", "rust", "clippy"].iter().any(|word| name.to_string_lossy().starts_with(word));
        if !is_rust {
            // As in PATH, the first program of a name counts.
            let _ = symlink(program.path(), folder.join(name));
        }
    }
    folder
});

fn without_rust(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tierup(folder, arguments);
    command.env("PATH", &*PROGRAMS);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    shown(&without_rust(folder, arguments).output().unwrap(), folder)
}

#[track_caller]
fn works(folder: &Path, arguments: &[&str]) -> String {
    let said = run(folder, arguments);
    assert!(said.starts_with("exit code: 0\n"), "{arguments:?}: {said}");
    said
}

/// A new project for Node.
fn project() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    works(folder.path(), &["new", "slug", "--host", "node"]);
    let project = folder.path().join("slug");
    (folder, project)
}

/// A command that runs until a signal, and the address from the line that says where it listens.
fn listening(folder: &Path, arguments: &[&str]) -> (Child, String) {
    let mut child = without_rust(folder, arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let line = lines.by_ref().find(|line| line.contains("listening")).unwrap_or_default();
    thread::spawn(move || lines.for_each(drop));
    let address = line.split("http://").nth(1).and_then(|rest| rest.split([' ', '/']).next()).unwrap_or_default();
    (child, format!("http://{}", address.trim_end_matches(':').replace("localhost", "127.0.0.1")))
}

fn end(mut child: Child) {
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
}

#[test]
fn a_plain_server_is_profiled() {
    let folder = tempfile::tempdir().unwrap();
    let server = "const { hotFunction } = require('./spinning');\n\
                  require('node:http').createServer((request, response) => response.end(String(hotFunction(2_000_000))))\n\
                  .listen(process.env.PORT, '127.0.0.1');\n";
    write(folder.path(), &[("server.js", server), ("spinning.js", SPINNING), ("package.json", "{}")]);
    write(folder.path(), &[("requests.http", "GET /a\n")]);
    let said = works(folder.path(), &["profile", "--command", "node server.js", "--duration", "4s", "-c", "4"]);
    assert!(said.contains("=> hotFunction is the first candidate"), "{said}");
    let said = works(folder.path(), &["init"]);
    assert!(said.contains("created tierup.toml, hot/ and tierup/hot/ for Node.js"), "{said}");
}

#[test]
fn a_project_is_profiled_bounded_and_reported() {
    let (_folder, project) = project();
    let said = works(&project, &["profile", "--duration", "2s", "-c", "4"]);
    assert!(said.contains("your functions"), "{said}");
    let short = ["--duration", "4s", "--blocks", "2", "-c", "4", "--output", "report"];
    let said = works(&project, &[&["ceiling"][..], &short].concat());
    assert!(said.contains("0:free"), "{said}");
    assert!(works(&project, &["report", "report/report.json"]).contains("0:free"));
}

#[test]
fn servers_are_served_compared_and_ramped() {
    let (_folder, project) = project();
    let port = tierup_runner::port::free().unwrap().to_string();
    let (server, url) = listening(&project, &["serve", "--tier", "0", "--port", &port]);
    let requests = ["--requests", "requests.http"];
    let said = works(&project, &[&["check", "--url", &url, "--vs", &url][..], &requests].concat());
    assert!(said.contains("alike"), "{said}");
    let short = ["--duration", "4s", "--blocks", "2", "-c", "4", "--output", "report"];
    works(&project, &[&["bench", "--url", &url][..], &requests, &short].concat());

    // A running server blocks builds of its project.
    end(server);

    let words = ["shadow", "--control", "0", "--candidate", "0", "--listen", "127.0.0.1:0", "--state", "state"];
    let (shadow, _) = listening(&project, &words);
    let judge = without_rust(&project, &["ramp", ".", "--state", "state"]).stderr(Stdio::null()).spawn().unwrap();
    let status = || run(&project, &["ramp", "status", ".", "--state", "state"]);
    let began = Instant::now();
    while !status().contains("the control answers all") {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", status());
        thread::sleep(Duration::from_millis(100));
    }
    [judge, shadow].into_iter().for_each(end);
}

#[test]
fn commands_that_need_rust_explain_how_to_install_it() {
    let (_folder, project) = project();
    let hint = "hint: get it with: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh\n";
    let commands: [&[&str]; 6] = [
        &["build"],
        &["serve", "--port", "65000"],
        &["check"],
        &["health"],
        &["bench", "--tiers", "0,3"],
        &["bench", "--in-process"],
    ];
    for arguments in commands {
        let said = run(&project, arguments);
        assert!(
            said.starts_with("exit code: 3\n") && said.contains("error: the program `rustc` was not found\n"),
            "{arguments:?}: {said}"
        );
        assert_eq!(said.matches(hint).count(), 1, "{arguments:?}: {said}");
    }
    let said = run(&project, &["doctor"]);
    assert!(said.contains("rustc: curl --proto") && said.contains("work without Rust: profile, ceiling, "), "{said}");
}
