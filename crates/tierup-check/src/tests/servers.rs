//! Servers that call another service: their calls count as much as their answers.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use tierup_codegen::Command;
use tierup_parity::Verdict;
use tierup_runner::Quiet;
use tierup_subject::{Running, Starting, Subject, Trouble};

use super::{half, project, raw::raw_server, schema::read as fits_the_schema, write};
use crate::{Check, Detail, HostRows, LabelledServer, Only, Part, Report, keep};

/// A server that stores each total that it is sent, and does one thing wrong.
#[derive(Clone, Copy)]
struct Storing(&'static str);

struct RunningThread {
    address: SocketAddr,
    has_ended: Arc<AtomicBool>,
}

impl Subject for Storing {
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        let Storing(wrong) = *self;
        if wrong == "starts" {
            return Err(Trouble { what: "it did not start".to_owned(), log: vec!["no port".to_owned()] });
        }
        let (_, store) = starting.environment.iter().find(|(name, _)| name == "STORE_URL").unwrap();
        let store = store.strip_prefix("http://").unwrap().to_owned();
        let has_ended = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&has_ended);
        let url = raw_server(move |_, body| answer(wrong, &store, str::from_utf8(body).ok()?, &ends));
        let address = url.strip_prefix("http://").unwrap().parse().unwrap();
        Ok(Box::new(RunningThread { address, has_ended }))
    }
}

impl Running for RunningThread {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn authority(&self) -> String {
        self.address.to_string()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn log(&self) -> Vec<String> {
        vec!["its last line".to_owned()]
    }

    fn ended(&mut self) -> Option<String> {
        self.has_ended.load(SeqCst).then(|| "exit status 3".to_owned())
    }

    fn stop(self: Box<Self>) {}
}

fn answer(wrong: &str, store: &str, body: &str, ends: &AtomicBool) -> Option<(String, String)> {
    let says = |status: &str, text: &str| Some((format!("{status} X\r\nContent-Type: text/plain"), text.to_owned()));
    let Ok(total) = body.parse::<u32>() else { return says("400", "a whole number, please") };
    match wrong {
        "adds" => call(store, total + 1)?,
        "skips" => {}
        "twice" => call(store, total).and(call(store, total))?,
        "later" => {
            call(store, total)?;
            let store = store.to_owned();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(600));
                call(&store, total)
            });
        }
        "hides" => drop(call(store, total)),
        "ends" if total == 5 => {
            call(store, total)?;
            ends.store(true, SeqCst);
        }
        _ if call(store, total).is_none() => return says("502", "the store failed"),
        _ => {}
    }
    says("200", "stored")
}

/// Sends a total to the store. Returns `None` unless the store answers 200.
fn call(store: &str, total: u32) -> Option<()> {
    let mut stream = TcpStream::connect(store).ok()?;
    let (body, mut text) = (total.to_string(), String::new());
    let head = format!("POST /store HTTP/1.1\r\nHost: store\r\nContent-Length: {}\r\nConnection: close", body.len());
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).ok()?;
    stream.read_to_string(&mut text).ok()?;
    text.starts_with("HTTP/1.1 200").then_some(())
}

const REQUESTS: &str = "POST /\nContent-Type: text/plain\n\n1\n\n###\nPOST /\nContent-Type: text/plain\n\n3\n\n###\n\
                        POST /\nContent-Type: text/plain\n\n5\n";

/// Compares a right server with servers that do these things wrong.
fn compare(check: &Check, requests: &str, wrong: &[&'static str]) -> (tempfile::TempDir, Report) {
    let (folder, loaded) = project("[\"echo\"]", "[downstream]\nenv = \"STORE_URL\"\n");
    write(folder.path(), &[("requests.http", requests)]);
    let served = ["right"].iter().chain(wrong).map(|wrong| LabelledServer {
        label: (*wrong).to_owned(),
        subject: Box::new(Storing(wrong)),
        again: format!("--tiers 0:{wrong}"),
    });
    let host = HostRows {
        host: "none",
        driver: Command::default(),
        called: Vec::new(),
        served: served.collect(),
        left_out: vec![("none 3:native".to_owned(), "there is no compiler".to_owned())],
    };
    let planned = check.plan(&loaded, &mut Quiet).unwrap();
    let report = planned.compare(vec![host], None, "tierup check words", &Quiet).unwrap();
    fits_the_schema(&report);
    (folder, report)
}

/// All differences that the report has for a row.
fn said(part: &Part, label: &str) -> String {
    let row = part.rows.iter().find(|row| row.label == label).unwrap();
    let mut all: Vec<String> = row.effects.iter().cloned().collect();
    for mismatch in part.mismatches.iter().filter(|mismatch| mismatch.rows.iter().any(|row| row == label)) {
        match &mismatch.detail {
            Detail::Differences(found) => all.extend(found.list.iter().map(ToString::to_string)),
            Detail::Error(why) => all.push(why.clone()),
        }
    }
    all.join("\n")
}

#[test]
fn calls_to_others_count_in_number_content_and_time() {
    let rows = [
        ("skips", "downstream call 1: nothing instead of POST /store 1 (a call is missing)"),
        ("twice", "downstream call 2: POST /store 1 instead of nothing (an extra call)"),
        ("adds", "downstream call 1, line 1: \"2\" instead of \"1\""),
        // A call after the last answer belongs to no request.
        ("later", "too many: POST /store "),
    ];
    let (_folder, report) = compare(&half(Only::Servers), REQUESTS, &["fine", "skips", "twice", "adds", "later"]);
    let part = &report.parts[0];
    assert_eq!(part.rows[0].verdict, Verdict::Alike, "{part:?}");
    for (row, (label, expected)) in part.rows[1..].iter().zip(rows) {
        assert_eq!(row.verdict, Verdict::Differs, "{row:?}");
        let said = said(part, label);
        assert!(said.contains(expected), "{label}: {said}");
    }
    assert_eq!(part.left_out.len(), 1);
}

#[test]
fn a_server_that_hides_the_failure_of_the_service_behind_it_is_found_and_kept() {
    let check = Check { hostile: 40, ..half(Only::Servers) };
    let (folder, report) = compare(&check, REQUESTS, &["hides"]);
    let shown = report.parts[0].mismatches.iter().find(|one| one.input.contains("downstream: it ")).unwrap();
    assert_eq!(shown.origin, "request of the file, while the downstream fails");
    let said = said(&report.parts[0], "hides");
    assert!(said.contains("status: 200 instead of 502"), "{said}");

    let (again, file) = shown.again.split_once(" --case ").unwrap();
    assert_eq!(again, "tierup check words --tiers 0:hides");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("\n# @downstream "), "{text}");
    let (_other, asked) = compare(&Check { case: Some(file.into()), ..check }, "", &["hides"]);
    assert!(!asked.is_clean() && asked.parts[0].mismatches[0].origin == "kept in corpus/requests", "{asked:?}");
    // The question is the same, so its identifier is too.
    assert_eq!(asked.parts[0].mismatches[0].counterexample.id, shown.counterexample.id);
    let kept = keep(&folder.path().join(".tierup/check"), &folder.path().join("corpus")).unwrap();
    assert!(!kept.is_empty());
}

#[test]
fn a_server_that_ends_behind_its_last_answer_is_found() {
    let (_folder, report) = compare(&half(Only::Servers), REQUESTS, &["ends"]);
    let row = &report.parts[0].rows[0];
    assert_eq!(row.verdict, Verdict::Failed, "{row:?}");
    let said = said(&report.parts[0], "ends");
    assert!(said.contains("no answer: the server ended (exit status 3"), "{said}");
}

#[test]
fn one_question_alone_waits_for_calls_that_come_late() {
    let (_folder, report) = compare(&half(Only::Servers), "POST /\nContent-Type: text/plain\n\n3\n", &["later"]);
    let said = said(&report.parts[0], "later");
    assert!(said.contains("POST /store 3 instead of nothing (an extra call)"), "{said}");
}

#[test]
fn a_row_that_does_not_start_is_in_trouble_and_the_others_are_compared() {
    let (_folder, report) = compare(&half(Only::Servers), REQUESTS, &["starts", "fine"]);
    let [broken, fine] = &report.parts[0].rows[..] else { panic!("{report:?}") };
    assert_eq!(broken.trouble, Some(("it did not start".to_owned(), vec!["no port".to_owned()])));
    assert!(broken.verdict != Verdict::Alike && fine.verdict == Verdict::Alike);
    // A row that did not start has no mismatches of single requests.
    assert!(report.parts[0].mismatches.is_empty() && !report.is_clean());
}

#[test]
fn a_control_alone_has_nothing_to_be_compared_with() {
    let (_folder, report) = compare(&half(Only::Servers), REQUESTS, &[]);
    assert!(report.parts.is_empty() && !report.compared());
    assert_eq!(report.notes, ["only right is available, so there is nothing to compare"]);
}
