//! `tierup bench`: its end, with any server, and after an interrupt at any time. The tests of `tierup-bench` cover the
//! measurement.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use expect_test::{Expect, expect};

use crate::{MANIFEST, run, shown, tierup, write};

/// A server with a cluster, whose workers must end with it.
const SERVER: &str = "
const cluster = require('node:cluster');
if (cluster.isPrimary) {
  cluster.fork();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cluster.disconnect());
} else {
  const wait = Number(process.env.WAIT ?? 1);
  const server = require('node:http').createServer((request, response) => setTimeout(() => response.end('hello'), wait));
  server.listen(process.env.PORT);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
}
";
const SETTINGS: &str = "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [START]\n";

/// A project whose server starts by this command.
fn project(start: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    let package = "{ \"name\": \"test-server\", \"private\": true }\n";
    let requests: String = (0..40).map(|number| format!("GET /{number}\n###\n")).collect();
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/package.json", package)]);
    write(folder.path(), &[("tierup.toml", &SETTINGS.replace("START", start)), ("requests.http", &requests)]);
    write(folder.path(), &[("node/server.js", SERVER)]);
    folder
}

const NODE: &str = "\"node\", \"server.js\"";
const SHORT: [&str; 8] = ["--duration", "5s", "--blocks", "2", "--connections", "8", "--output", "report"];

/// Sends tierup a signal once it prints `says`, and returns its exit code. No process of the project may be left.
fn interrupted(folder: &Path, arguments: &[&str], says: &str, signal: &str) -> Option<i32> {
    let mut child = tierup(folder, arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut before = String::new();
    loop {
        let Some(Ok(line)) = lines.next() else { panic!("it ended before it said `{says}`:\n{before}") };
        before += &(line.clone() + "\n");
        if line.contains(says) {
            break;
        }
    }
    kill(signal, &child);
    lines.for_each(drop);
    let code = child.wait().unwrap().code();
    assert_eq!(processes_in(folder), Vec::<String>::new());
    code
}

fn kill(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// The command lines of processes with a working directory in this folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let inside =
        processes.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder)));
    // A process that has just ended may still be a zombie, which has no command line.
    inside
        .filter_map(|process| fs::read_to_string(process.join("cmdline")).ok().filter(|line| !line.is_empty()))
        .collect()
}

#[test]
fn an_interrupt_under_load_leaves_a_report_and_no_process() {
    for signal in ["-INT", "-TERM"] {
        let folder = project(NODE);
        let arguments = [&["bench", "--tiers", "0"][..], &SHORT].concat();
        // By then, a slice of the closed loop was measured.
        assert_eq!(interrupted(folder.path(), &arguments, "latency, round 1", signal), Some(130), "{signal}");
        let made = fs::read_dir(folder.path().join(".tierup")).unwrap().flatten().map(|entry| entry.file_name());
        assert!(made.into_iter().all(|name| !name.to_string_lossy().starts_with("recordings")));
        let report = |name: &str| fs::read_to_string(folder.path().join("report").join(name)).unwrap();
        let record: serde_json::Value = serde_json::from_str(&report("report.json")).unwrap();
        assert_eq!(record["interrupted"], true);
        assert!(record["blocks"][0]["rows"][0]["closed"][0]["completed"].as_u64().unwrap() > 0);
        // The interrupt is no failure of the row.
        assert_eq!(record["blocks"][0]["rows"][0]["trouble"], serde_json::Value::Null);
        assert!(report("report.md").contains("nterrupted"));
        assert!(report("report.html").contains("nterrupted"));
        assert!(run(folder.path(), &["report", "report/report.json"]).starts_with("exit code: 0\n"));
        let both = run(folder.path(), &["report", "report/report.json", "report/report.json"]);
        assert!(both.starts_with("exit code: 0\n") && both.contains("run 1:") && both.contains("run 2:"), "{both}");
    }
}

#[test]
fn an_interrupt_ends_the_check() {
    // Forty requests take half a minute each.
    let folder = project("\"env\", \"WAIT=30000\", \"node\", \"server.js\"");
    let arguments = [&["bench", "--tiers", "0", "--timeout", "60s"][..], &SHORT].concat();
    assert_eq!(interrupted(folder.path(), &arguments, "checking the answers", "-INT"), Some(130));
}

#[test]
fn an_interrupt_ends_the_build() {
    let folder = project(NODE);
    write(folder.path(), &[("node/node_modules/words/index.js", "")]);
    let arguments = [&["bench"][..], &SHORT].concat();
    // `    ` begins the first step's label. By default a row that cannot be built is skipped, but not after Ctrl-C.
    assert_eq!(interrupted(folder.path(), &arguments, "    ", "-INT"), Some(130));
}

/// A test server that gives so many good answers, then only status 500.
fn good_for(requests: usize) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    // The thread ends with the test's process.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let asked = Arc::clone(&asked);
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).is_ok_and(|count| count > 0) {
                    let good = asked.fetch_add(1, SeqCst) < requests;
                    let status = if good { "200 OK" } else { "500 Internal Server Error" };
                    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nhello");
                    if stream.write_all(answer.as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

#[test]
fn a_server_that_fails_under_load_is_exit_code_3() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://{}/", good_for(50));
    let output = tierup(folder.path(), &[&["bench", "--url", &url][..], &SHORT].concat()).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.starts_with("exit code: 3\n"), "{said}");
    assert!(said.contains("error:") && said.contains(&url), "{said}");
}

#[test]
fn a_failing_server_is_exit_code_3_even_if_nobody_reads_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://{}/", good_for(50));
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut bench = tierup(folder.path(), &[&["bench", "--url", &url][..], &SHORT].concat());
    assert_eq!(bench.stdout(writer).stderr(Stdio::null()).status().unwrap().code(), Some(3));
}

#[test]
fn a_report_that_cannot_be_written_is_exit_code_3() {
    let folder = tempfile::tempdir().unwrap();
    // In place of the report is a folder with content.
    write(folder.path(), &[("report/report.json/something", "")]);
    let url = format!("http://{}/", good_for(usize::MAX));
    let output = tierup(folder.path(), &[&["bench", "--url", &url][..], &SHORT].concat()).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.starts_with("exit code: 3\n"), "{said}");
    assert!(said.contains("error: cannot write the report: report/report.json"), "{said}");
    assert!(!said.contains("\nthe report: "), "{said}");
}

#[test]
fn only_the_hard_limit_of_open_files_limits_connections() {
    let folder = project("\"sh\", \"-c\", \"ulimit -n > limit; exec node server.js\"");
    let limited = |limits: &str, connections: &str| {
        let arguments = ["bench", "--tiers", "0", "--duration", "5s", "--blocks", "2", "--connections", connections];
        let program = tierup(folder.path(), &arguments);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
            .arg(program.get_program())
            .args(program.get_args());
        shell.current_dir(folder.path()).env("NO_COLOR", "1");
        shown(&shell.output().unwrap(), folder.path())
    };
    // tierup raises its own limit; the server gets the shell's (and Node raises its own).
    let said = limited("ulimit -Sn 300", "400");
    // On a busy machine, some of 400 clients may get no answer in time.
    assert!(said.contains("closed loop over 400 connections"), "{said}");
    assert!(said.contains("servers are started with a limit of 300 open files"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("node/limit")).unwrap(), "300\n");

    let said = limited("ulimit -n 300", "400");
    assert!(said.starts_with("exit code: 3\n"), "{said}");
    assert!(said.contains("error: 400 connections need 600 open files, but this process may open only 300"), "{said}");
    assert!(said.contains("hint: give at most --connections 100"), "{said}");
}

/// Arguments are checked before anything is built: a build would print lines.
#[test]
fn wrong_arguments_are_refused_at_once() {
    let folder = project(NODE);
    let check = |arguments: &[&str], expected: Expect| {
        expected.assert_eq(&run(folder.path(), &[&["bench"][..], arguments].concat()));
    };
    check(
        &["--requests", "none.http"],
        expect![[r#"
            exit code: 2
            -- stdout
            -- stderr
            error: there is no file `none.http`
        "#]],
    );
    check(
        &["--tiers", "0", "--reference", "4:server"],
        expect![[r#"
            exit code: 2
            -- stdout
            -- stderr
            error: the reference 4:server is not among the rows of Node.js
            hint: the rows are: 0; --reference ROW names another one of them
        "#]],
    );
    check(
        &["--cpuset", "0/1023"],
        expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: invalid value '0/1023' for '--cpuset <SERVERS/GENERATOR>': not all processors of `1023` can be used here: this process may use none of them

        For more information, try '--help'.
    "#]],
    );
    check(
        &["--output", "tierup.toml"],
        expect![[r#"
            exit code: 3
            -- stdout
            -- stderr
            error: cannot create the folder for the report: tierup.toml: File exists (os error 17)
        "#]],
    );
    check(
        &["--duration", "2s"],
        expect![[r#"
            exit code: 2
            -- stdout
            -- stderr
            error: 2 s are too short for 5 blocks, because each block starts fresh servers
            hint: give more time with --duration, or fewer blocks with --blocks
        "#]],
    );
}

#[test]
fn the_last_output_of_a_server_that_dies_is_shown() {
    let folder = project("\"node\", \"dying.js\"");
    let dying = "
let asked = 0;
const server = require('node:http').createServer((request, response) => {
  // The check sends 81 requests; under load there are more, so the server ends under load, also on a busy machine.
  if (++asked > 90) { console.error('out of paper'); process.exit(3); }
  response.end('hello');
});
server.listen(process.env.PORT);
";
    write(folder.path(), &[("node/dying.js", dying)]);
    let output = tierup(folder.path(), &[&["bench", "--tiers", "0"][..], &SHORT].concat()).output().unwrap();
    let said = shown(&output, folder.path());
    assert!(said.starts_with("exit code: 3\n"), "{said}");
    assert!(said.contains("it ended under load: exit code 3") && said.contains("out of paper"), "{said}");
    assert_eq!(processes_in(folder.path()), Vec::<String>::new());
}
