//! Requests with side effects: each of control's calls arrives once, the candidate's calls do not leave, and calls that
//! differ from control's are found, even if all requests are alike.

mod setup;

use std::{
    io::{Read as _, Write as _},
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use hyper::header::HeaderName;
use tierup_rollout::evidence::Pair;
use tierup_shadow::{
    Show,
    lanes::ControlLanes,
    parts::{Collector, Copies, Ledger},
};
use tierup_subject::{Attribution, Relay};

use self::setup::{Calls, OK, dropped, post, request, server, shadow, shadow_of, store};
use crate::support::{Client, Recorder, nobody, proxy_of, settings};

fn both() -> [Attribution; 2] {
    [Attribution::Lane, Attribution::Header(HeaderName::from_static("x-request-id"))]
}

#[test]
fn equal_calls_are_alike_and_the_candidates_do_not_leave() {
    for by in both() {
        let shadow = shadow(&by, Calls::Right, Calls::Right);
        let sent = shadow.run(60);
        let report = shadow.report();
        assert!(report.coverage.compared >= 60, "{by:?}: {report:?}");
        assert_eq!(report.routes["POST /orders"].tally.mismatch, 0, "{by:?}: {report:?}");
        assert_eq!(shadow.stored.load(Relaxed), sent, "{by:?}: each call once");
    }
}

#[test]
fn each_different_call_is_found_even_if_all_requests_are_alike() {
    for by in both() {
        for (calls, kind) in [
            (Calls::Skip, "nothing instead of POST /store 7 (a call is missing)"),
            (Calls::Twice, "POST /store 7 instead of nothing (an extra call)"),
            (Calls::Other, "200"),
            (Calls::Long, "too many calls"),
            (Calls::LongAndSilent, "too many calls"),
        ] {
            let shadow = shadow(&by, Calls::Right, calls);
            let sent = shadow.run(10);
            let report = shadow.report();
            let route = &report.routes["POST /orders"];
            assert!(route.tally.mismatch >= 10 && route.tally.same == 0, "{by:?} {calls:?}: {report:?}");
            let mut words = route.examples.values().map(|example| &example.difference);
            assert!(words.any(|words| words.contains(kind)), "{by:?} {calls:?}: {report:?}");
            assert_eq!(shadow.stored.load(Relaxed), sent, "{by:?} {calls:?}: each of control's calls once");
        }
    }
}

#[test]
fn calls_after_the_answer_belong_to_their_request() {
    for by in both() {
        let shadow = shadow(&by, Calls::Late, Calls::Late);
        shadow.run(10);
        let report = shadow.report();
        let tally = &report.routes["POST /orders"].tally;
        assert!(tally.same >= 10 && tally.mismatch == 0, "{by:?}: {report:?}");
        let shadow = self::shadow(&by, Calls::Late, Calls::Skip);
        shadow.run(10);
        let report = shadow.report();
        assert_eq!(report.routes["POST /orders"].tally.same, 0, "{by:?}: {report:?}");
    }
}

#[test]
fn no_copy_asks_a_process_that_calls_the_real_service() {
    let shadow = shadow_of(&Attribution::Lane, Calls::Right, Calls::Right, Pair::Second, None);
    shadow.ask_without_comparing(5, "there is no server to ask");
    assert_eq!(shadow.stored.load(Relaxed), 5);
}

#[test]
fn different_calls_of_a_twin_with_doubles_are_noise() {
    for by in both() {
        for (calls, is_noisy) in [(Calls::Right, false), (Calls::Twice, true)] {
            let shadow = shadow_of(&by, Calls::Right, Calls::Skip, Pair::Second, Some(calls));
            let sent = shadow.run(10);
            let noise = shadow.report().noise;
            assert!(noise.compared >= 10, "{by:?} {calls:?}: {noise:?}");
            assert_eq!(noise.mismatched, if is_noisy { noise.compared } else { 0 }, "{by:?} {calls:?}");
            assert_eq!(shadow.stored.load(Relaxed), sent, "{by:?} {calls:?}: each call once");
        }
    }
}

#[test]
fn calls_without_the_header_are_not_compared() {
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let unmarked = "effects not attributable, as calls to another service did not carry the header of any request";
    for candidate in [Calls::Unmarked, Calls::Skip] {
        shadow(&by, Calls::Unmarked, candidate).ask_without_comparing(5, unmarked);
    }
    let shadow = shadow(&by, Calls::Right, Calls::Unmarked);
    shadow.ask_without_comparing(5, "a call to another service does not carry the header of any copy");
}

#[test]
fn a_route_without_calls_is_compared_while_others_call() {
    // Requests outside of the sample also carry the header.
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let shadow = shadow(&by, Calls::Right, Calls::Right);
    thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut client = Client::new(&shadow.proxy);
            for id in 0..40 {
                client.send(request("/unsampled", &format!("other-{id}"), "7")).head();
                client.bytes(2);
            }
        });
        let mut client = Client::new(&shadow.proxy);
        for id in 0..5 {
            client.send(request("/orders", &format!("none-{id}"), "")).head();
            client.bytes(2);
        }
        others.join().expect("it ends");
    });
    shadow.wait_for(|report| report.coverage.compared == 5);
    let report = shadow.report();
    assert_eq!(report.routes["POST /orders"].tally.same, 5, "{report:?}");
    assert_eq!(shadow.stored.load(Relaxed), 40);
}

#[test]
fn two_simultaneous_requests_with_one_header_are_not_compared() {
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let shared = "effects not attributable, as another request had the same header at that time";
    let untold = "its calls to other services cannot be told from those of other requests";
    // Whether or not the second request is in the sample, its calls are mixed with those of the first.
    for second in ["/orders", "/unsampled"] {
        let shadow = shadow(&by, Calls::Slow, Calls::Slow);
        let mut clients = [Client::new(&shadow.proxy), Client::new(&shadow.proxy)];
        for (client, path) in clients.iter_mut().zip(["/orders", second]) {
            client.send(request(path, "one", "7"));
            thread::sleep(Duration::from_millis(100));
        }
        for client in &mut clients {
            assert!(client.head().starts_with("HTTP/1.1 200 "));
            client.bytes(2);
        }
        shadow.wait_for(|report| report.coverage.not_comparable.get(shared) == Some(&1));
        let coverage = shadow.report().coverage;
        assert_eq!((coverage.compared, coverage.dropped.get(untold).copied()), (0, (second == "/orders").then_some(1)));
        // Much later, another request may have the header.
        thread::sleep(Duration::from_secs(3));
        clients[0].send(request("/orders", "one", "7")).head();
        shadow.wait_for(|report| report.coverage.compared == 1);
        assert_eq!(shadow.report().routes["POST /orders"].tally.same, 1, "{second}");
    }
}

#[test]
fn an_upgraded_request_is_under_way_until_its_protocol_ends() {
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let (address, _) = store();
    let relay =
        Relay::start("STORE", address.parse().expect("an address"), by.clone(), 10_000).expect("a relay starts");
    let control = Recorder::start(|asked, stream| {
        let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        let answer = if asked.value("upgrade").is_some() { switching } else { OK };
        // Until the client has left, the request may make calls.
        let is_written = stream.write_all(answer.as_bytes()).is_ok();
        is_written && (answer == OK || stream.read(&mut [0]).is_err())
    });
    let (copies, _copied) = Copies::new(16, Arc::new(|_, _| Some(Pair::Candidate)));
    let (collector, notes) = Collector::showing(&[], Show::all());
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let copies = copies.in_lanes(ControlLanes::header(by, relay));
    let proxy = proxy_of(&settings(control.address), Some(copies), &collector);
    let mut talks = Client::new(&proxy);
    talks.send("GET /chat HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    assert!(talks.head().starts_with("HTTP/1.1 101 "));
    // Longer than a header is remembered after its last request.
    thread::sleep(Duration::from_secs(3));
    let mut client = Client::new(&proxy);
    client.send(request("/orders", "one", "7")).head();
    wait_for(&ledger, "its calls to other services cannot be told from those of other requests", 1);
    client.bytes(2);
    drop(talks);
}

#[test]
fn a_missing_lane_or_a_client_that_left_does_not_harm_the_next_request() {
    let (address, stored) = store();
    let main = server(("STORE".into(), address.clone()), Calls::Right);
    let relay = || {
        let real = address.parse().expect("an address");
        Relay::start("STORE", real, Attribution::Lane, 10_000).expect("a relay starts")
    };
    let nobody = nobody();
    let (copies, _copied) = Copies::new(16, Arc::new(|_, _| Some(Pair::Candidate)));
    let copies = copies.in_lanes(ControlLanes::processes(vec![(nobody, relay())]));
    let (collector, notes) = Collector::showing(&[], Show::all());
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let proxy = proxy_of(&settings(main), Some(copies), &collector);
    let mut client = Client::new(&proxy);
    for _ in 0..10 {
        client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n7");
        assert!(client.head().starts_with("HTTP/1.1 200"));
        client.bytes(2);
    }
    assert_eq!(stored.load(Relaxed), 10, "control answered");
    wait_for(&ledger, "no lane was free", 10);

    // The lane's process goes on calling after its client has left. Meanwhile no other request may get the lane.
    let relay = relay();
    let store = relay.environment();
    let lane = Recorder::start(move |asked, stream| {
        if asked.head.starts_with("POST /slow") {
            thread::sleep(Duration::from_millis(300));
            post(store.1.trim_start_matches("http://"), "none", "7");
        }
        stream.write_all(OK.as_bytes()).is_ok()
    });
    let (copies, _copied) = Copies::new(16, Arc::new(|_, _| Some(Pair::Candidate)));
    let copies = copies.in_lanes(ControlLanes::processes(vec![(lane.address, relay)]));
    let (collector, notes) = Collector::showing(&[], Show::all());
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let proxy = proxy_of(&settings(main), Some(copies), &collector);
    let mut leaves = Client::new(&proxy);
    leaves.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n7");
    while lane.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    drop(leaves);
    wait_for(&ledger, "the client or the control broke off", 1);
    let mut client = Client::new(&proxy);
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n7").head();
    wait_for(&ledger, "no lane was free", 1);
    assert_eq!(lane.asked().len(), 1, "the lane rests");
}

/// Waits until this many requests were not copied for this reason.
fn wait_for(ledger: &Ledger, reason: &str, count: u64) {
    let began = Instant::now();
    while dropped(ledger).get(reason) != Some(&count) {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", dropped(ledger));
        thread::sleep(Duration::from_millis(5));
    }
}
