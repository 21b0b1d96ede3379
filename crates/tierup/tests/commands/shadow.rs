//! `tierup shadow` between two servers: the control's answers, the report, and the end.

mod inside;
mod operating;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use command_fds::{CommandFdExt as _, FdMapping};

use crate::{MANIFEST, run, tierup, write};

/// A server that answers each request by its path, and then closes the connection.
fn server(answer: fn(&str) -> String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while reader.read_line(&mut head).is_ok_and(|length| length > 2) {}
            let body = answer(head.split(' ').nth(1).unwrap_or_default());
            let length = body.len();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        }
    });
    address
}

/// The process, and the address at which it listens.
fn started(control: SocketAddr, candidate: SocketAddr, more: &[&str]) -> (Child, String) {
    let (control, candidate) = (format!("http://{control}"), format!("http://{candidate}"));
    let folder = tempfile::tempdir().unwrap();
    let words = ["shadow", "--control", &control, "--candidate", &candidate, "--listen", "127.0.0.1:0"];
    let mut command = tierup(folder.path(), &[&words[..], more].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let line = line_of(&mut child);
    let address = line.strip_prefix("listening on http://").and_then(|rest| rest.split(": ").next());
    (child, address.unwrap_or_else(|| panic!("{line}")).to_owned())
}

/// The next line of standard error, without reading any byte beyond it.
fn line_of(child: &mut Child) -> String {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while !line.ends_with(b"\n") && child.stderr.as_mut().unwrap().read(&mut byte).unwrap() > 0 {
        line.extend(byte);
    }
    String::from_utf8(line).unwrap()
}

fn ask(address: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned()
}

fn ended(child: Child) -> String {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn control_answers_clients_and_differences_are_reported() {
    let control = server(|target| format!("right {target}"));
    let candidate = server(|target| if target.len() < 4 { format!("right {target}") } else { "wrong".to_owned() });
    let (child, address) = started(control, candidate, &["--deny", "/out*", "--show", "*"]);
    for target in ["/a", "/b", "/long?secret=1", "/long", "/out"] {
        assert_eq!(ask(&address, target), format!("right {target}"));
    }
    let report = ended(child);
    assert!(report.starts_with("4 sampled, 4 compared, 2 mismatches, 0 not comparable, 0 not copied\n"), "{report}");
    assert!(report.contains("GET /a: 1 alike, 0 mismatches"), "{report}");
    assert!(report.contains("GET /long: 0 alike, 2 mismatches"), "{report}");
    assert!(
        report.contains("  2 times, e.g. GET /long: line 1: \"wrong\" instead of \"right /long\""),
        "the smallest of its kind: {report}"
    );
    assert!(report.ends_with("=> the candidate differs\n"), "{report}");
}

#[test]
fn a_second_signal_ends_the_drain() {
    // This server never answers.
    let control = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = control.local_addr().unwrap();
    let (child, address) = started(at, at, &["--drain", "3600"]);
    let mut client = TcpStream::connect(&address).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n").unwrap();
    let _asked = control.accept().unwrap();
    let terminate = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(terminate.success());
    while TcpStream::connect(&address).is_ok() {
        thread::sleep(Duration::from_millis(20));
    }
    let report = ended(child);
    assert!(report.contains("\n1 sampled, 0 compared"), "{report}");
}

/// Starts a shadow with an inherited socket; `pid` is the value of `LISTEN_PID`.
fn handed(pid: &str, listen: &str) -> (Child, String, SocketAddr) {
    let control = server(|_| "right".to_owned());
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let control = format!("http://{control}");
    let program =
        tierup(folder.path(), &["shadow", "--control", &control, "--candidate", &control, "--listen", listen]);
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args(["-c", &format!("LISTEN_FDS=1 LISTEN_PID={pid} exec \"$0\" \"$@\"")]);
    command.arg(program.get_program()).args(program.get_args());
    command.fd_mappings(vec![FdMapping { parent_fd: socket.into(), child_fd: 3 }]).unwrap();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let line = line_of(&mut child);
    (child, line, address)
}

#[test]
fn an_inherited_socket_is_used() {
    // The shell replaces itself with the program, which keeps the process ID.
    let (child, line, address) = handed("$$", "127.0.0.1:0");
    assert!(line.starts_with(&format!("listening on http://{address}: ")), "{line}");
    assert_eq!(ask(&address.to_string(), "/"), "right");
    ended(child);
    let (child, line, address) = handed("1", "127.0.0.1:0");
    assert!(!line.contains(&address.to_string()), "it is for another process: {line}");
    ended(child);
}

#[test]
fn a_port_is_shared_only_if_both_request_it() {
    let control = server(|_| "right".to_owned());
    let (old, address) = started(control, control, &["--reuse-port"]);
    let folder = tempfile::tempdir().unwrap();
    let control = format!("http://{control}");
    let words = ["shadow", "--control", &control, "--candidate", &control, "--listen", &address];
    assert!(run(folder.path(), &words).contains("hint: choose another address with --listen"));
    let mut command = tierup(folder.path(), &[&words[..], &["--reuse-port"]].concat());
    let mut new = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let line = line_of(&mut new);
    assert!(line.starts_with("listening on"), "{line}");
    ended(old);
    assert_eq!(ask(&address, "/"), "right");
    ended(new);
    let said = run(folder.path(), &["shadow", "--candidate", "4", "--listen", "127.0.0.1:0", "--reuse-port"]);
    assert!(said.contains("error: --reuse-port is for servers at addresses: `0` is a row"), "{said}");
}

#[test]
fn the_report_is_json_on_request() {
    let control = server(|_| "same".to_owned());
    let (child, address) = started(control, control, &["--json", "--show", "a"]);
    assert_eq!(ask(&address, "/a"), "same");
    let report: serde_json::Value = serde_json::from_str(&ended(child)).unwrap();
    assert_eq!(report["verdict"], "alike");
    assert_eq!(report["coverage"]["compared"], 1);
    assert_eq!(report["routes"]["GET /a"]["tally"]["same"], 1);
}

#[test]
fn the_control_file_of_a_state_folder_lets_the_candidate_answer() {
    let [control, candidate, twin] =
        [|_: &str| "control".to_owned(), |_: &str| "candidate".to_owned(), |_: &str| "twin".to_owned()].map(server);
    let state = tempfile::tempdir().unwrap();
    let file = tierup_rollout::Control {
        ramp: "3f2a9c01".into(),
        generation: 1,
        heartbeat: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs(),
        phase: tierup_rollout::Phase::Ramping,
        weights: tierup_rollout::Weights::with_twin("50%".parse().unwrap()),
        mirror: tierup_rollout::Part::ALL,
        second: tierup_rollout::Part::NONE,
        verify: tierup_rollout::Part::NONE,
        key: tierup_rollout::RampKey::new([3; 16]),
    };
    fs::write(state.path().join("control"), file.to_string()).unwrap();
    let (state, twin) = (state.path().to_str().unwrap(), format!("http://{twin}"));
    let more = ["--state", state, "--twin", &twin, "--sticky", "header:X-User", "--sample", "0.01"];
    let (child, address) = started(control, candidate, &more);
    let of = |user: &str| ask(&address, &format!("/ HTTP/1.1\r\nX-User: {user}\r\nX-Rest:"));
    let found: Vec<_> = (0..40).map(|user| of(&user.to_string())).collect();
    let sides = ["candidate", "twin", "control"];
    assert_eq!(sides.map(|side| found.iter().any(|found| found == side)), [true; 3], "{found:?}");
    let moved = found.iter().position(|found| found == "candidate").unwrap().to_string();
    assert_eq!(ask(&address, "/"), "control", "without a key");
    fs::remove_file(Path::new(state).join("control")).unwrap();
    let began = Instant::now();
    while of(&moved) != "control" {
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    // The warning appears within a few looks.
    thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let said = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("warning: the control file: it is missing"), "{said}");
}

#[test]
fn invalid_options_are_refused_before_anything_listens() {
    let folder = tempfile::tempdir().unwrap();
    let said = |more: &[&str]| {
        let words = ["shadow", "--control", "http://127.0.0.1:9", "--candidate", "http://127.0.0.1:9"];
        run(folder.path(), &[&words[..], more].concat())
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    assert!(said(&["--listen", &taken]).contains("hint: choose another address with --listen"));
    assert!(said(&["--sample", "1.5"]).contains("must be above 0 and at most 1, not 1.5"));
    assert!(said(&["--sticky", "ip"]).contains("it must be `cookie:NAME`, `header:NAME` or `address`"));
    assert!(said(&["--deny", "logout"]).contains("`logout` is not a pattern of paths"));
    assert!(
        run(folder.path(), &["shadow", "--control", "https://a", "--candidate", "4"])
            .contains("https is not supported")
    );
}

#[test]
fn evidence_of_several_runs_is_summed_up() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().to_str().unwrap();
    let control = server(|target| format!("right {target}"));
    let candidate = server(|target| if target.len() < 4 { format!("right {target}") } else { "wrong".to_owned() });
    for target in ["/users/12?token=s3cret-value", "/users/13"] {
        let (child, address) = started(control, candidate, &["--state", folder, "--show", "*"]);
        ask(&address, target);
        ask(&address, "/a");
        assert!(ended(child).starts_with("2 sampled, 2 compared, 1 mismatches"));
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let report = |more: &[&str]| run(elsewhere.path(), &[&["shadow", "report", folder], more].concat());
    let text = report(&[]);
    assert!(text.contains("4 sampled, 4 compared, 2 mismatches, 0 not comparable, 0 not copied"), "{text}");
    assert!(text.contains("\nof 4 requests; 20") && text.contains("; copies were made in"), "{text}");
    assert!(text.contains("GET /users/*: 0 alike, 2 mismatches"), "{text}");
    assert!(text.contains("2 times, e.g. GET /users/13: line 1"), "the smallest: {text}");
    assert!(!text.contains("s3cret-value"), "{text}");
    let shown = |format: &str| {
        let output = tierup(elsewhere.path(), &["shadow", "report", folder, "--format", format]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&shown("json")).unwrap();
    assert_eq!((&json["proxies"], &json["coverage"]["asked"]), (&2.into(), &4.into()));
    assert_eq!(json["sides"]["control"]["answered"], 4);
    let markdown = shown("markdown");
    assert!(markdown.contains("| `GET /users/*` | 2 | 2 | 2 |"), "{markdown}");
    let page = shown("html");
    assert!(page.starts_with("<!doctype html>") && page.contains("the candidate differs"), "{page}");

    let said = report(&["--case", "found.http"]);
    assert!(said.contains("wrote `found.http`: GET /users/13"), "{said}");
    let case = std::fs::read_to_string(elsewhere.path().join("found.http")).unwrap();
    assert!(case.contains("\nGET /users/13\n"), "{case}");
    assert!(report(&["--case", "x.http", "--route", "GET /a"]).contains("there is no such mismatch"));
    assert!(!elsewhere.path().join("x.http").exists());
    assert!(run(elsewhere.path(), &["shadow", "report"]).contains("there is no evidence in"));
}

#[test]
fn values_from_a_single_client_are_in_no_file_and_no_report() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().to_str().unwrap();
    let [control, candidate] =
        [|target: &str| format!("one {target}"), |target: &str| format!("two {target}")].map(server);
    let (child, address) = started(control, candidate, &["--state", folder]);
    ask(&address, "/harbour/plumfrost/items?ref=brigitte&next=%2Fin%2Fwillowbark");
    let mut shown = ended(child);
    for format in ["text", "json", "markdown", "html"] {
        shown += &run(state.path(), &["shadow", "report", folder, "--format", format]);
    }
    for file in fs::read_dir(state.path().join("evidence")).unwrap() {
        shown += &fs::read_to_string(file.unwrap().path()).unwrap();
    }
    assert!(shown.contains("\"entry\":\"difference\"") && shown.contains("1 mismatches"), "{shown}");
    assert!(shown.contains("hmac:…: what fewer than 3 clients sent"), "{shown}");
    for secret in ["harbour", "plumfrost", "brigitte", "willowbark"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_harms_no_request() {
    let folder = tempfile::tempdir().unwrap();
    // A file in place of the evidence folder.
    std::fs::write(folder.path().join("evidence"), "in the way").unwrap();
    let control = server(|_| "same".to_owned());
    let (mut child, address) = started(control, control, &["--state", folder.path().to_str().unwrap()]);
    for _ in 0..20 {
        assert_eq!(ask(&address, "/a"), "same");
    }
    let line = line_of(&mut child);
    assert!(line.starts_with("warning: evidence is lost: "), "{line}");
    assert!(ended(child).starts_with("20 sampled, 20 compared, 0 mismatches"));
}

#[test]
fn requests_with_side_effects_need_separate_effects() {
    const SETTINGS: &str =
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
    const CALLS: &str = "[downstream]\nenv = \"TIERUP_TEST_STORE\"\n";
    let said = |more: &str, sides: [&str; 2]| {
        let folder = tempfile::tempdir().unwrap();
        let library = "pub fn shout(text: &str) -> String { text.into() }\n";
        write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
        write(folder.path(), &[("tierup.toml", &format!("{SETTINGS}{more}"))]);
        let words = ["shadow", ".", "--listen", "127.0.0.1:0", "--control", sides[0], "--candidate", sides[1]];
        run(folder.path(), &words)
    };
    let routes = "[rollout]\nroutes = [\"POST /orders\"]\n";
    let unseen = said(routes, ["0", "0"]);
    assert!(unseen.contains("names POST /orders, but the effects of these requests cannot be seen"), "{unseen}");
    assert!(unseen.contains("add `isolated = true` to [rollout]"), "{unseen}");
    let untold = said(CALLS, ["0", "0"]);
    assert!(untold.contains("[rollout] does not say which calls belong to a request"), "{untold}");
    assert!(untold.contains("must not keep clients' sessions in memory"), "{untold}");
    let unknown = said(&format!("{CALLS}[rollout]\nattribute = \"lane\"\n"), ["0", "0"]);
    assert!(unknown.contains("the address of the real service is not known"), "{unknown}");
    assert!(unknown.contains("or set TIERUP_TEST_STORE"), "{unknown}");
    let mixed = said(CALLS, ["0", "http://127.0.0.1:9"]);
    assert!(mixed.contains("a server at an address cannot be compared with a row that calls another"), "{mixed}");
}

#[test]
fn a_route_that_may_be_safe_is_proposed_once() {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    let route = "[[route]]\nrequest = \"POST /shout\"\nbody = \"text\"\ncall = \"shout\"\n";
    let control = format!("http://{}", server(|_| "right".to_owned()));
    let said = |rollout: &str| {
        let settings =
            "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
        write(folder.path(), &[("tierup.toml", &format!("{settings}{route}{rollout}"))]);
        let words = ["shadow", ".", "--listen", "127.0.0.1:0", "--control", &control, "--candidate", &control];
        let mut child = tierup(folder.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        while !said.contains("listening on") {
            let line = line_of(&mut child);
            assert!(!line.is_empty(), "{said}");
            said += &line;
        }
        ended(child);
        said
    };
    let proposed = said("");
    assert_eq!(proposed.matches("add to [rollout]: safe = [\"POST /shout\"]").count(), 1, "{proposed}");
    assert!(!said("[rollout]\nsafe = [\"POST /shout\"]\n").contains("add to [rollout]"));
}
