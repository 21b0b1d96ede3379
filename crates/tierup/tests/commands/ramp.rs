//! `tierup ramp` as a process: its orders, its exit codes, and its files after the end. The tests write the evidence.

mod inside;
mod telling;

use std::{
    fs::{self, OpenOptions},
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tierup_rollout::{
    Control, Side,
    evidence::{Entry, Event, Line},
};

use crate::{balancers::now, run, tierup};

const PATIENCE: Duration = Duration::from_secs(60);

fn event(state: &Path, number: u64, event: Event) {
    fs::create_dir_all(state.join("evidence")).unwrap();
    let line = Line { number, at: 0, entry: Entry::Event(event) }.to_text().unwrap();
    let file = OpenOptions::new().create(true).append(true).open(state.join("evidence/proxy.jsonl"));
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

fn control(state: &Path) -> Option<Control> {
    Control::parse(&fs::read_to_string(state.join("control")).ok()?).ok()
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a judge, and waits until a ramp begins.
fn started(folder: &Path, more: &[&str]) -> Child {
    let state = folder.join("state");
    let words = [&["ramp", "--state", "state", "--hold", "1s"][..], more].concat();
    let child = tierup(folder, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let before = control(&state).map(|control| control.ramp);
    // Plays the proxy, which writes while the judge waits for one.
    let mut number =
        fs::read_to_string(state.join("evidence/proxy.jsonl")).map_or(0, |text| text.lines().count() as u64);
    until("the ramp begins", || {
        control(&state).is_some_and(|control| Some(control.ramp) != before) || {
            number += 1;
            let sides =
                [Side::Control, Side::Candidate, Side::Twin].map(|side| (side, "http://127.0.0.1:9".to_owned()));
            event(&state, number, Event::Began { sides: sides.into() });
            false
        }
    });
    child
}

/// Exit code, standard output and standard error, after the process has ended.
fn ended(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn metrics(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: ramp\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Where a judge serves its metrics, which is the first that it says.
fn metrics_address(judge: &mut Child) -> String {
    let (mut said, mut byte) = (String::new(), [0]);
    while !said.ends_with('\n') && judge.stderr.as_mut().unwrap().read(&mut byte).unwrap() > 0 {
        said.push(char::from(byte[0]));
    }
    let address = said.trim_end().strip_prefix("metrics: http://").and_then(|rest| rest.strip_suffix("/metrics"));
    address.unwrap_or_else(|| panic!("{said}")).to_owned()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_judge_obeys_orders_and_reports_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let judge = started(folder.path(), &[]);
    let order = |words: &[&str]| run(folder.path(), &[&["ramp"][..], words, &["--state", "state"]].concat());
    let said = order(&["status"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nshadow: the control answers all\n"), "{said}");
    let said = order(&["to", "25%"]);
    assert!(said.contains("ramping: the candidate answers 25%"), "{said}");
    let found = control(&state).unwrap();
    assert_eq!((found.weights.candidate.to_string(), found.weights.twin.to_string()), ("25%".into(), "25%".into()));
    assert!(order(&["pause"]).contains("paused: the candidate answers 25%"));
    assert!(order(&["pause"]).contains("exit code: 1\n-- stdout\n-- stderr\nerror: it is paused already\n"));
    let json = order(&["status", "--json"]);
    assert!(json.contains("\"phase\": \"paused\"") && json.contains("\"candidate\": 2500"), "{json}");
    // Two judges cannot run at the same time.
    let said = order(&["start"]);
    assert!(said.contains("error: another `tierup ramp` judges in"), "{said}");
    assert!(order(&["abort"]).contains("rolled back: the control answers all"));
    let (code, stdout, stderr) = ended(judge);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stdout.starts_with("rolled back"), "{stdout}");
    assert!(stderr.contains("error: the candidate was rolled back: aborted by the operator"), "{stderr}");
    assert_eq!(control(&state).unwrap().weights, tierup_rollout::Weights::CONTROL_ONLY);
    // The judge may die before a rollback takes effect: the next one must repeat it.
    let old = Control { weights: found.weights, heartbeat: now(), ..control(&state).unwrap() };
    fs::write(state.join("control"), old.to_string()).unwrap();
    order(&["start"]);
    assert_eq!(control(&state), None);
    // The ramp stays rolled back.
    let said = order(&["start"]);
    assert!(
        said.contains("error: the last ramp was rolled back: aborted by the operator\nhint: `tierup ramp --new`"),
        "{said}"
    );
    let said = order(&["status"]);
    assert!(
        said.contains(
            "error: no judge runs (its last decision: roll back), so the control answers all\nhint: `tierup ramp --new`"
        ),
        "{said}"
    );
    let judge = started(folder.path(), &["--new"]);
    signal(&judge, "-INT");
    assert_eq!(ended(judge).0, Some(130));
    let decisions = fs::read_to_string(state.join("decisions.jsonl")).unwrap();
    let words: Vec<_> = decisions
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["decision"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(words, ["begin", "to 25%", "pause", "roll back", "begin"]);
}

#[test]
fn a_frozen_judge_obeys_an_abort_before_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let order = |words: &[&str]| run(folder.path(), &[&["ramp"][..], words, &["--state", "state"]].concat());
    let judge = started(folder.path(), &[]);
    order(&["to", "25%"]);
    signal(&judge, "-STOP");
    let said = order(&["abort"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nthe control answers all"), "{said}");
    assert_eq!(control(&state), None);
    signal(&judge, "-CONT");
    let mut judge = judge;
    until("the judge obeys", || {
        let weights = control(&state).map_or(tierup_rollout::Weights::CONTROL_ONLY, |control| control.weights);
        assert_eq!(weights, tierup_rollout::Weights::CONTROL_ONLY);
        judge.try_wait().unwrap().is_some()
    });
    let (code, _, stderr) = ended(judge);
    assert_eq!(code, Some(1), "{stderr}");
    // The order is not left for the next judge.
    assert!(!state.join("abort").exists());
}

#[test]
fn a_restarted_judge_continues_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let order = |words: &[&str]| run(folder.path(), &[&["ramp"][..], words, &["--state", "state"]].concat());
    let judge = started(folder.path(), &[]);
    order(&["to", "5%"]);
    let before = control(&state).unwrap();
    signal(&judge, "-TERM");
    let (code, _, stderr) = ended(judge);
    assert_eq!(code, Some(130));
    assert!(stderr.contains("the weights stay for 60 s"), "{stderr}");
    assert_eq!(control(&state).unwrap().weights, before.weights);
    // The weights apply as long as the last heartbeat is fresh.
    for words in [&["status"][..], &["to", "25%"]] {
        let said = order(words);
        let expected = "error: no judge runs (its last decision: to 5%), and the candidate still answers 5%";
        assert!(said.contains(expected), "{said}");
    }
    let stale = Control { heartbeat: now() - 61, ..before.clone() };
    fs::write(state.join("control"), stale.to_string()).unwrap();
    assert!(order(&["status"]).contains("error: no judge runs (its last decision: to 5%), so the control answers all"));
    fs::write(state.join("control"), before.to_string()).unwrap();
    // The second judge is killed.
    let mut judge = tierup(folder.path(), &["ramp", "--state", "state"]).stderr(Stdio::null()).spawn().unwrap();
    until("it goes on", || control(&state).is_some_and(|found| found.generation > before.generation));
    let after = control(&state).unwrap();
    assert_eq!((after.ramp, after.weights), (before.ramp, before.weights));
    judge.kill().unwrap();
    judge.wait().unwrap();
    // An abort needs no running judge.
    let said = order(&["abort"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nrolled back: the control answers all"), "{said}");
    assert_eq!(control(&state).unwrap().weights, tierup_rollout::Weights::CONTROL_ONLY);
    // It needs no database either.
    order(&["status"]);
    fs::remove_file(state.join("rollout.db")).unwrap();
    fs::create_dir(state.join("rollout.db")).unwrap();
    let said = order(&["abort"]);
    assert!(
        said.contains("the control answers all: the control file was removed") && !state.join("control").exists(),
        "{said}"
    );
}

#[test]
fn a_bad_sign_ends_the_ramp_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let judge = started(folder.path(), &[]);
    assert!(run(folder.path(), &["ramp", "to", "5%", "--state", "state"]).contains("ramping"));
    event(&state, 1_000, Event::Unreachable { side: Side::Candidate, is: true });
    let (code, _, stderr) = ended(judge);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("the candidate was rolled back: the candidate cannot be reached from proxy proxy"),
        "{stderr}"
    );
    assert_eq!(control(&state).unwrap().weights, tierup_rollout::Weights::CONTROL_ONLY);
}

#[test]
fn an_order_does_not_create_a_state_folder() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["ramp", "pause", "--state", "nowhere"]);
    assert!(said.contains("error: there is no ramp in `nowhere`"), "{said}");
    assert!(!folder.path().join("nowhere").exists());
    assert!(run(folder.path(), &["ramp", "to", "101%"]).starts_with("exit code: 2\n"));
}

#[test]
fn a_row_needs_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["ramp", "--state", "state", "--row", "4"]);
    assert!(
        said.contains("exit code: 2\n-- stdout\n-- stderr\nerror: --row names a row of a project, and there is none"),
        "{said}"
    );
}
