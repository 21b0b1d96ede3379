//! `tierup profile --command`: profiles a server that it starts.

#![cfg(unix)]

mod go;
mod java;

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{MANIFEST, tierup, write};

/// The functions that the test servers call.
pub(crate) const SPINNING: &str = include_str!("profiling/spinning.js");

const SERVER: &str = r"'use strict';
const http = require('node:http');
const { hotFunction, otherFunction } = require('./spinning');

http.createServer((request, response) => response.end(String(hotFunction(2_000_000) > otherFunction(100_000))))
    .listen(process.env.PORT, '127.0.0.1');
";

/// A folder with a server in Node, and a folder for temporary files.
fn world() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files =
        [("server.js", SERVER), ("spinning.js", SPINNING), ("package.json", "{}"), ("requests.http", "GET /a\n")];
    write(folder.path(), &files);
    fs::create_dir(folder.path().join("temporary")).unwrap();
    folder
}

fn profile(folder: &Path, duration: &str, arguments: &[&str]) -> Command {
    let mut command = tierup(folder, &["profile", "--requests", "requests.http", "--duration", duration, "-c", "4"]);
    command.args(arguments).env("TMPDIR", folder.join("temporary"));
    command.env("TIERUP_TEST_RUN", folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Neither a file nor a process of this run is left.
#[track_caller]
fn nothing_is_left(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder.join("temporary")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
    let mark = format!("TIERUP_TEST_RUN={}", folder.display());
    let processes = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let is_ours = |process: &std::path::PathBuf| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        entries.filter(is_ours).count()
    };
    // A killed process remains until its parent has waited for it.
    let deadline = Instant::now() + Duration::from_secs(10);
    while processes() > 0 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(processes(), 0);
}

fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_hot_function_is_first_and_nothing_is_left() {
    let folder = world();
    let output = profile(folder.path(), "4s", &["--command", "node server.js", "--format", "json"]).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    // The handler calls both, so it has the largest total, but not the largest self time.
    let functions = report["functions"].as_array().unwrap();
    let by_self = |one: &&serde_json::Value| (one["self"]["value"].as_f64().unwrap() * 1e6) as u64;
    let hottest = functions.iter().max_by_key(by_self).unwrap();
    assert_eq!(hottest["function"], "hotFunction", "{out}");
    assert!(functions.iter().any(|function| function["function"] == "otherFunction"), "{out}");
    // On a busy machine, this line is a warning without a figure.
    assert!(err.contains("cost of V8's CPU profiler while it sampled: "), "{err}");
    nothing_is_left(folder.path());
}

const WATCHED: &str = r"'use strict';
const http = require('node:http');

function weigh(text) {
    let sum = 0;
    for (let i = 0; i < 1_000_000; i++) {
        sum += Math.sqrt(i + text.length);
    }
    return sum;
}

function total(request) {
    let sum = weigh(request.url) + weigh(request.url);
    for (let i = 0; i < 1_500_000; i++) {
        sum += Math.cbrt(i);
    }
    return sum;
}

// V8 may inline `total` and count all of it to this one, whose arguments cannot cross.
function handle(request, response) {
    response.end(String(total(request)));
}

http.createServer(handle).listen(process.env.PORT, '127.0.0.1');
";

#[test]
fn the_first_candidates_are_watched() {
    let folder = world();
    fs::write(folder.path().join("server.js"), WATCHED).unwrap();
    let run = |format: &str| {
        let arguments = ["--command", "node server.js", "--format", format];
        let output = profile(folder.path(), "4s", &arguments).output().unwrap();
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{err}");
        out
    };
    let out = run("json");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |name: &str| {
        let functions = report["functions"].as_array().unwrap();
        functions.iter().find(|function| function["function"] == name).unwrap().clone()
    };
    let weigh = of("weigh");
    assert_eq!((&weigh["calls_per_request"], &weigh["could_cross"]), (&2.0.into(), &true.into()), "{out}");
    assert_eq!(report["verdict"]["function"], "weigh", "{out}");
    let total = of("total");
    assert_eq!((&total["candidate"], &total["could_cross"]), (&false.into(), &false.into()), "{out}");
    let reason = total["reason"].as_str().unwrap();
    assert!(reason.contains("its argument `request` is an object of the class IncomingMessage"), "{reason}");
    assert_eq!(report["call_cost"]["microseconds"], 0.42, "{out}");
    let text = run("text");
    assert!(text.contains("Allocated for each request: "), "{text}");
    assert!(text.contains("calls a request") && text.contains("Bounds include what calls of Rust cost"), "{text}");
    nothing_is_left(folder.path());
}

const IN_JAVA: &str = include_str!("../../../tierup-sampling/tests/servers/java/Server.java");

/// async-profiler needs Maven, which is missing: the JVM's own recorder replaces it.
#[test]
fn a_sensor_that_cannot_be_fetched_has_a_fallback() {
    let folder = world();
    fs::write(folder.path().join("Server.java"), IN_JAVA).unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let path = env::var_os("PATH").unwrap();
    for name in ["sh", "env", "java", "jcmd", "jfr"] {
        let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists()).unwrap();
        symlink(found, programs.join(name)).unwrap();
    }
    let arguments = ["--command", "java Server.java", "--format", "json"];
    let output = profile(folder.path(), "6s", &arguments).env("PATH", &programs).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    assert!(err.contains("mvn") && err.contains("; JFR samples the server instead"), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["sensor"]["title"], "JFR", "{out}");
    // Its callers have the same total; which is ranked first depends on few samples.
    let functions = report["functions"].as_array().unwrap();
    let own = |function: &serde_json::Value| function["self"]["value"].as_f64().unwrap();
    let hottest = functions.iter().max_by(|one, other| own(one).total_cmp(&own(other))).unwrap();
    assert_eq!(hottest["function"], "Server.spin", "{out}");
    assert!(report["sensor"]["misses"].as_str().unwrap().contains("native code"), "{out}");
    assert!(report["sensor"]["allocated_per_request"].is_null(), "{out}");
    nothing_is_left(folder.path());
}

#[test]
fn a_project_defines_its_own_code() {
    let folder = world();
    let settings = "[function]\ncrate = \".\"\nexport = [\"slugify\"]\n[host.node]\nfolder = \".\"\nstart = [\"node\", \"server.js\"]\n\
                    [profile]\nown = [\"hot\"]\n";
    let library = "pub fn slugify(text: &str) -> Result<String, String> {\n    Ok(text.to_owned())\n}\n";
    write(folder.path(), &[("tierup.toml", settings), ("Cargo.toml", MANIFEST), ("src/lib.rs", library)]);
    let own = |arguments: &[&str]| {
        let output = profile(folder.path(), "4s", &["--format", "json"]).args(arguments).output().unwrap();
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let functions = report["functions"].as_array().unwrap();
        functions.iter().map(|one| one["function"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(own(&[]), ["hotFunction"]);
    assert_eq!(own(&["--own", "other"]), ["otherFunction"]);
    nothing_is_left(folder.path());
}

#[test]
fn an_interrupt_leaves_nothing() {
    let folder = world();
    let mut command = profile(folder.path(), "10m", &["--command", "node server.js"]);
    let child = command.spawn().unwrap();
    until_it_listens(folder.path());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{:?}", texts(&output));
    nothing_is_left(folder.path());
}

/// Waits until the sensor's socket exists, and the server has probably started.
fn until_it_listens(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while Instant::now() < deadline {
        let private = fs::read_dir(folder.join("temporary")).unwrap().flatten().next();
        if private.is_some_and(|private| private.path().join("agents").exists()) {
            // An arbitrary moment of the run, which takes minutes.
            thread::sleep(Duration::from_secs(3));
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("the server was not started");
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_server_that_ends_or_never_answers_leaves_nothing() {
    let folder = world();
    let output = profile(folder.path(), "4s", &["--command", "node -e 'process.exit(3)'"]).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("exit code 3"), "{err}");
    nothing_is_left(folder.path());

    // It answers, but its processes do not load the sensor.
    let output = profile(folder.path(), "4s", &["--command", "env -u NODE_OPTIONS node server.js"]).output().unwrap();
    let (_, err) = texts(&output);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("no process of the server could be sampled") && err.contains("NODE_OPTIONS"), "{err}");
    nothing_is_left(folder.path());
}

#[test]
fn missing_requests_and_unknown_languages_get_a_hint() {
    let folder = world();
    let run = |arguments: &[&str], code: i32| {
        let output = tierup(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        texts(&output).1
    };
    // The folder's own requests are used.
    assert!(run(&["profile", "--command", "node -e 'process.exit(3)'"], 3).contains("exit code 3"));
    fs::rename(folder.path().join("requests.http"), folder.path().join("others.http")).unwrap();
    assert!(run(&["profile", "--command", "node server.js"], 2).contains("--requests"));
    fs::remove_file(folder.path().join("package.json")).unwrap();
    let text = run(&["profile", "--command", "./server", "--requests", "others.http"], 2);
    assert!(text.contains("--host: node, python, go, java, ruby, php, beam"), "{text}");
}
