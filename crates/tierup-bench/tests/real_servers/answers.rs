//! Which requests are sent, and which answers to them are right: bodies, methods, statuses, answers that change.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tierup_bench::{
    analysis::analyse,
    record::{Check, Record},
    report::{html, markdown},
    run::{Error, run},
};
#[cfg(target_os = "linux")]
use tierup_subject::processors::of_this_thread;

use crate::{
    benchmark::{Exact, Interrupt, Watcher, measured, plan, requests, standing},
    server::{Asked, BODY, Server, ok, with},
};

/// A time of day in whole seconds, as a server might put it into a page.
fn clock() -> Server {
    let began = Instant::now();
    Server::answering(move |asked| {
        let now = if asked.head.starts_with("GET /clock") { began.elapsed().as_secs() } else { 0 };
        ok(&format!("hello at {now}"))
    })
}

#[test]
fn answers_that_change_are_verified_by_status_and_the_report_says_so() {
    let (reference, candidate) = (clock(), clock());
    let rows = vec![("one", standing(reference.address)), ("two", standing(candidate.address))];
    let record = measured(&mut plan(rows, requests("GET /clock\n###\nGET /page\n"))).unwrap();
    assert_eq!((record.requests.distinct, record.requests.varying), (2, 1));
    match &record.rows[1].check {
        Check::Same { how, .. } => assert!(how.contains("of 1 all but the bodies"), "{how}"),
        other => panic!("{other:?}"),
    }
    let analysis = analyse(&record);
    assert!(analysis.rows.iter().all(|row| row.failures.total() == 0));
    let report = markdown::render(&record, &analysis);
    assert!(report.contains("answered differently each time"), "{report}");
}

#[test]
fn answers_that_change_are_found_even_if_the_server_is_slow_at_first() {
    let (began, seen) = (Instant::now(), Mutex::new(HashSet::new()));
    let server = Server::answering(move |asked| {
        let target = asked.head.split_whitespace().nth(1).unwrap().to_owned();
        let is_first = seen.lock().unwrap().insert(target.clone());
        if is_first && target.starts_with("/slow") {
            thread::sleep(Duration::from_millis(1200));
        }
        let now = if target == "/clock" { began.elapsed().as_secs() } else { 0 };
        ok(&format!("hello at {now}"))
    });
    // Enough slow requests that the last one is sent only after they are answered.
    let slow: String = (0..8).map(|number| format!("GET /slow/{number}\n###\n")).collect();
    let record = alone(&server, &format!("GET /page\n###\n{slow}GET /clock\n"));
    assert_eq!((record.requests.distinct, record.requests.varying), (10, 1));
}

/// The record of a run with this server as its only row.
fn alone(server: &Server, text: &str) -> Record {
    let record = measured(&mut plan(vec![("one", standing(server.address))], requests(text))).unwrap();
    let slices: Vec<_> = record.blocks.iter().flat_map(|block| &block.rows[0].closed).collect();
    assert!(slices.iter().all(|slice| slice.answered > 0 && slice.failures.total() == 0), "{slices:?}");
    record
}

#[test]
fn every_method_and_status_is_supported() {
    let asked = Arc::new(Mutex::new(Vec::<Asked>::new()));
    let written = Arc::clone(&asked);
    let server = Server::answering(move |asked| {
        written.lock().unwrap().push(asked.clone());
        let target = asked.head.split_whitespace().nth(1).unwrap();
        match target {
            // The headers are those of GET, without the body (RFC 9110, section 9.3.2).
            "/head" => "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".into(),
            "/none" => "HTTP/1.1 204 No Content\r\n\r\n".into(),
            "/same" => "HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n".into(),
            "/moved" => with("302 Found", &["Location: /elsewhere"], BODY),
            "/small" => with("200 OK", &["Content-Encoding: gzip"], "\u{1f}not really"),
            "/expect" => [&b"HTTP/1.1 100 Continue\r\n\r\n"[..], &ok(BODY)].concat(),
            "/missing" => with("404 Not Found", &[], "there is no such thing"),
            _ => ok(BODY),
        }
    });
    let text = "HEAD /head\n###\nGET /none\n###\nGET /same\nIf-None-Match: \"a\"\n###\nGET /moved\n###\n\
                GET /small\nAccept-Encoding: gzip\n###\nPOST /expect\nExpect: 100-continue\nContent-Type: text/plain\n\n\
                a body\n###\nPOST /post\n\nanother body\n###\nGET /missing\n";
    let record = alone(&server, text);
    assert_eq!((record.requests.distinct, record.requests.refused, record.requests.varying), (7, 1, 0));
    let asked = asked.lock().unwrap();
    let of = |target: &str| asked.iter().filter(|one| one.head.contains(&format!(" {target} "))).collect::<Vec<_>>();
    assert!(of("/elsewhere").is_empty(), "redirects are answers, not ways");
    assert!(
        of("/expect").iter().all(|one| one.body == b"a body")
            && of("/post").iter().all(|one| one.body == b"another body")
    );
    assert!(of("/small").iter().all(|one| one.head.to_ascii_lowercase().contains("accept-encoding: gzip\r\n")));
    assert!(of("/none").iter().all(|one| !one.head.to_ascii_lowercase().contains("accept-encoding")));
    // One request waits for the server and two are checks: a refused request is not part of the load.
    assert!(of("/missing").len() <= 3, "{}", of("/missing").len());
}

#[test]
fn a_record_is_read_back_as_it_was_written() {
    let server = Server::good();
    let label = "<script>alert(1)</script> | **x** \u{202e}\u{1b}[31m \u{2028} \"'`";
    let record = measured(&mut plan(vec![(label, standing(server.address))], requests("GET /"))).unwrap();
    let text = serde_json::to_string(&record).unwrap();
    assert!(serde_json::from_str::<Record>(&text).unwrap() == record, "{} is not what was written", &text[..2000]);
    assert_eq!(record.rows[0].label, label);
    let page = html::render(&record, &analyse(&record));
    assert!(!page.contains("<script>alert"));
    let page = markdown::render(&record, &analyse(&record));
    // Control characters and tags are shown as text; within code, tags are text anyway.
    assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{2028}']));
    assert!(page.lines().filter(|line| line.contains("<script>")).all(|line| line.contains("`` <script>")));
}

#[test]
fn an_interrupted_run_keeps_what_was_measured() {
    let server = Server::good();
    let mut watcher = Watcher { interrupts: Interrupt::Round, ..Watcher::default() };
    let rows = || vec![("one", standing(server.address))];
    let outcome = run(&mut plan(rows(), requests("GET /")), &mut Exact, &mut watcher);
    // Nothing was measured before the interruption in the first round.
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");

    let mut watcher = Watcher { interrupts: Interrupt::Checking, ..Watcher::default() };
    let outcome = run(&mut plan(rows(), requests("GET /")), &mut Exact, &mut watcher);
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
    assert_eq!(watcher.kept, None);
}

/// tierup does not move a server that it did not start: only the generator is pinned.
#[test]
#[cfg(target_os = "linux")]
fn a_server_that_ran_already_is_not_pinned() {
    let (server, mine) = (Server::good(), of_this_thread().unwrap());
    let mut plan = plan(vec![("one", standing(server.address))], requests("GET /"));
    plan.processors = Some((mine.clone(), mine.clone()));
    let settings = measured(&mut plan).unwrap().settings;
    assert_eq!((settings.server_processors, settings.generator_processors), (None, Some(mine.to_string())));
}
