//! `tierup serve` at tier 0, which needs no build: the server's start and end.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use expect_test::expect;

use crate::{MANIFEST, shown, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
const LIBRARY: &str = "pub fn shout(text: &str) -> String { text.into() }\n";

fn project(server: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let package = "{ \"name\": \"test-server\", \"private\": true }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY), ("node/package.json", package)]);
    write(folder.path(), &[("tierup.toml", SETTINGS), ("node/server.js", server)]);
    folder
}

#[test]
fn a_port_in_use_is_reported_before_anything_is_built() {
    let folder = project("");
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let output = tierup(folder.path(), &["serve", "--tier", "0", "--port", &port.to_string()]).output().unwrap();
    assert_eq!(
        shown(&output, folder.path()),
        format!(
            "exit code: 3\n-- stdout\n-- stderr\nerror: port {port} is in use by another program\n\
             hint: choose another port with --port, or stop the program that listens on {port}\n"
        )
    );
    assert!(!folder.path().join(".tierup").exists());
}

#[test]
fn a_server_that_ends_by_itself_is_a_failure() {
    let folder = project("console.error('no database'); process.exit(4);");
    let port = tierup_runner::port::free().unwrap().to_string();
    let output = tierup(folder.path(), &["serve", "--tier", "0", "--port", &port]).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.starts_with("exit code: 3\n") && said.contains("no database"), "{said}");
    assert!(said.contains("error: the server exited unexpectedly (exit code 4): node server.js"), "{said}");
}

#[test]
fn a_server_without_the_package_gets_the_install_command() {
    let folder = project("require('words');");
    let port = tierup_runner::port::free().unwrap().to_string();
    let serve = || tierup(folder.path(), &["serve", "--tier", "0", "--port", &port]).output().unwrap();
    let said = shown(&serve(), folder.path());
    let hint = "hint: to add `words`, run in node: npm install ../.tierup/node";
    assert!(said.contains("Cannot find module 'words'") && said.contains(hint), "{said}");

    write(folder.path(), &[("node_modules/words/index.js", "process.exit(4);")]);
    let said = shown(&serve(), folder.path());
    assert!(said.contains("exit code 4") && !said.contains("hint:"), "{said}");
}

#[test]
fn an_unknown_baseline_is_refused() {
    let folder = project("");
    let port = tierup_runner::port::free().unwrap().to_string();
    let output = tierup(folder.path(), &["serve", "--tier", "0:tuned", "--port", &port]).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.contains("error: `0:tuned` is not a baseline of Node.js"), "{said}");
}

/// The reasons are known before anything is built.
#[test]
fn rows_that_a_host_cannot_have_give_the_reason() {
    let folder = project("");
    let settings = SETTINGS.replace("[host.node]", "[host.go]\nfolder = \"node\"");
    write(folder.path(), &[("tierup.toml", &settings)]);
    let port = tierup_runner::port::free().unwrap().to_string();
    let mut said = String::new();
    for tier in ["3:async", "2:component", "4"] {
        let output = tierup(folder.path(), &["serve", "--tier", tier, "--port", &port]).output().unwrap();
        said.push_str(&shown(&output, folder.path()));
    }
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: 3:async is not supported for Go: goroutines already run calls in parallel; use 3:native
        exit code: 2
        -- stdout
        -- stderr
        error: 2:component is not supported for Go: wazero does not support components; use 2:core
        exit code: 2
        -- stdout
        -- stderr
        error: tier 4 is not available in this project
          4:server: tierup.toml has neither a [[route]] nor a [server]
        hint: serve it at another tier: --tier 0 to 4
    "#]]
    .assert_eq(&said);
}

/// A cluster: the worker answers after a delay; after a signal, both end when all requests are answered.
#[cfg(unix)]
const CLUSTER: &str = "
const cluster = require('node:cluster');
if (cluster.isPrimary) {
  cluster.fork();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cluster.disconnect());
} else {
  const server = require('node:http').createServer((request, response) => {
    setTimeout(() => response.end(process.env.TIERUP_TIER + ' ' + process.env.TIERUP_WORKERS), 700);
  });
  server.keepAliveTimeout = 1;
  server.listen(process.env.PORT);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
}
";

#[cfg(unix)]
#[test]
fn requests_in_flight_are_answered_and_no_process_is_left() {
    for signal in ["-INT", "-TERM"] {
        let folder = project(CLUSTER);
        let port = tierup_runner::port::free().unwrap();
        let arguments = ["serve", "--tier", "0", "--workers", "3", "--port", &port.to_string()];
        let mut child = tierup(folder.path(), &arguments).spawn().unwrap();
        let mut stream = connect(port);
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        thread::sleep(Duration::from_millis(200));
        let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("0 3"), "{signal}: {answer}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        tierup_runner::port::check_free(port).unwrap();
    }
}

#[cfg(unix)]
fn connect(port: u16) -> TcpStream {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) if Instant::now() > deadline => panic!("{error}"),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// A build must not change the files of a running server.
#[cfg(unix)]
#[test]
fn a_build_waits_for_a_server() {
    use std::io::{BufRead as _, BufReader};

    let folder = project(CLUSTER);
    let port = tierup_runner::port::free().unwrap();
    let mut serve = tierup(folder.path(), &["serve", "--tier", "0", "--port", &port.to_string()]).spawn().unwrap();
    drop(connect(port));
    let mut build =
        tierup(folder.path(), &["build", "--tiers", "0"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(build.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, format!("`tierup serve` (process {}) uses this project; waiting until it is done\n", serve.id()));
    assert!(build.try_wait().unwrap().is_none());
    let kill = std::process::Command::new("kill").args(["-TERM", &serve.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(serve.wait().unwrap().code(), Some(0));
    assert_eq!(build.wait().unwrap().code(), Some(0));
}

/// The two would wait for each other.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_runs_tierup_is_refused() {
    let program = format!(
        "const {{ status }} = require('child_process').spawnSync({:?}, ['build', '--tiers', '0', '..'], {{ stdio: 'inherit' }});\n\
         process.exit(status);",
        env!("CARGO_BIN_EXE_tierup")
    );
    let folder = project(&program);
    let port = tierup_runner::port::free().unwrap().to_string();
    let output = tierup(folder.path(), &["serve", "--tier", "0", "--port", &port]).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.contains("uses this project and has started this command"), "{said}");
    assert!(said.contains("hint: tierup builds before it starts a server: remove `tierup` from `start`"), "{said}");
}

/// A new project's server must not return an unexpected exception's text, which may be private.
#[cfg(unix)]
#[test]
fn a_new_server_hides_the_text_of_an_exception() {
    let folder = tempfile::tempdir().unwrap();
    let made = tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap();
    assert!(made.status.success(), "{}", shown(&made, folder.path()));
    let project = folder.path().join("slug");
    let baseline = "module.exports = () => { throw new TypeError('the password is 1234'); };\n\
                    module.exports.SlugError = class extends Error {};\n";
    write(&project, &[("node/baseline.js", baseline)]);
    let port = tierup_runner::port::free().unwrap();
    let arguments = ["serve", "--tier", "0", "--port", &port.to_string()];
    let child = tierup(&project, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let mut answers = String::new();
    for target in ["/slug?text=a", "/readyz"] {
        let mut stream = connect(port);
        stream.write_all(format!("GET {target} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap_or_default();
        answers += &format!("{status} {}\n", answer.rsplit("\r\n\r\n").next().unwrap_or_default());
    }
    let kill = std::process::Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.unwrap().success());
    let said = String::from_utf8_lossy(&child.wait_with_output().unwrap().stderr).into_owned();
    assert_eq!(answers, "500 internal error\n503 not ready\n", "{said}");
    assert!(said.contains("the password is 1234"), "{said}");
}
