//! Requests that are shared between control, the candidate and its twin: which side answers which, and what happens to
//! requests that a side does not answer.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{Arc, mpsc::Receiver},
    thread,
    time::{Duration, Instant},
};

use tierup_rollout::{
    Phase, Side, Weights,
    evidence::{BadKind, Entry, Event, Slot},
};
use tierup_shadow::{
    Limits, Routes, Sampled, Show,
    parts::{Collector, Mirrored, Note, Pacing, Proxy, Settings, Sharing, Steering},
};

use crate::{
    rollout::{ALL, State, control_file, slot},
    support::{Client, Recorder, address, answering, limits, nobody, proxy_of, settings},
};

/// A proxy in front of three servers, with its state folder.
struct Shared {
    state: State,
    proxy: Proxy,
    collector: Collector,
    notes: Receiver<Note>,
    steering: Arc<Steering>,
}

/// A proxy with these weights in force.
fn shared(sides: [SocketAddr; 3], weights: Weights, limits: Limits) -> Shared {
    let state = State::new(&control_file(1, Phase::Ramping, weights, Mirrored::default()));
    let (collector, notes) = Collector::showing(&[], Show::all());
    let routes = Routes::new(&["POST /orders".to_owned()]).expect("a route");
    let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
    let steering = Arc::new(state.steering(routes, Pacing::new(sampled, Mirrored::default(), &collector)));
    let [control, candidate, twin] = sides;
    let sharing =
        Sharing { candidate: Some(address(candidate)), twin: Some(address(twin)), steering: Arc::clone(&steering) };
    let settings = Settings { sharing: Some(sharing), limits, ..settings(control) };
    Shared { state, proxy: proxy_of(&settings, None, &collector), collector, notes, steering }
}

impl Shared {
    fn ask(&self, head: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!("{head}\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        let answer = Client::new(&self.proxy).send(request).rest();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned())
    }

    fn of(&self, user: &str) -> String {
        self.ask(&format!("GET / HTTP/1.1\r\nX-User: {user}"), "").1
    }

    fn unreachable(&self) -> Vec<(Side, bool)> {
        let events = self.notes.try_iter().filter_map(|note| match note {
            Note::Entry(Entry::Event(Event::Unreachable { side, is })) => Some((side, is)),
            _ => None,
        });
        events.collect()
    }

    /// The next events about sides that can or cannot be reached.
    fn next_unreachable(&self) -> Vec<(Side, bool)> {
        let began = Instant::now();
        loop {
            let said = self.unreachable();
            if !said.is_empty() {
                return said;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it is not said");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn slot(&self, holds: impl Fn(&Slot) -> bool) -> Slot {
        slot(&self.collector, holds)
    }

    /// Waits until the control file with this generation is in force, or 0 for no control file.
    fn wait_for(&self, generation: u64) {
        let began = Instant::now();
        while self.steering.in_force().generation != generation {
            assert!(began.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes a control file as the judge does, and waits until it is in force.
    fn decide(&self, generation: u64, phase: Phase) {
        self.state.write(&control_file(generation, phase, ALL, Mirrored::default()));
        self.wait_for(generation);
    }
}

fn named(name: &'static str) -> Recorder {
    answering(move |_| name.to_owned())
}

fn three() -> [Recorder; 3] {
    ["control", "candidate", "twin"].map(named)
}

#[test]
fn the_side_of_its_bucket_answers_a_client_on_routes_that_may_ramp() {
    let servers = three();
    let weights = Weights::with_twin("30%".parse().expect("a part"));
    let shared = shared(servers.each_ref().map(|server| server.address), weights, limits());
    let users: Vec<String> = (0..60).map(|user| user.to_string()).collect();
    let first: Vec<_> = users.iter().map(|user| shared.of(user)).collect();
    for side in ["control", "candidate", "twin"] {
        assert!(first.iter().any(|found| found == side), "{side}: {first:?}");
    }
    let again: Vec<_> = users.iter().map(|user| shared.of(user)).collect();
    assert_eq!(first, again, "a client stays where it is");
    let theirs = users.iter().zip(&first).find(|(_, side)| *side == "candidate").expect("there is one").0;
    let user = format!("\r\nX-User: {theirs}");
    assert_eq!(shared.ask(&format!("POST /orders HTTP/1.1{user}"), "x").1, "candidate");
    assert_eq!(shared.ask(&format!("POST /other HTTP/1.1{user}"), "x").1, "control");
    assert_eq!(shared.ask("GET / HTTP/1.1", "").1, "control", "no key");

    let all = |slot: &Slot| slot.live.iter().map(|live| live.answered).sum::<u64>();
    let slot = shared.slot(|slot| all(slot) == 123);
    let of = |side| slot.live.iter().filter(|live| live.side == side).map(|live| live.answered).sum::<u64>();
    let found = |side: &str| 2 * first.iter().filter(|found| *found == side).count() as u64;
    assert_eq!(of(Side::Candidate), found("candidate") + 1);
    assert_eq!(of(Side::Twin), found("twin"));
}

#[test]
fn weights_fall_with_the_file() {
    let servers = three();
    let shared = shared(servers.each_ref().map(|server| server.address), ALL, limits());
    // It uses one connection: weights bind each request, not its connection.
    let mut client = Client::new(&shared.proxy);
    let mut ask = || {
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-User: anna\r\n\r\n");
        let head = client.head();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length").parse();
        client.bytes(length.expect("a number"))
    };
    assert_eq!(ask(), "candidate");
    shared.decide(2, Phase::RolledBack);
    assert_eq!(ask(), "control");
    shared.decide(3, Phase::Ramping);
    assert_eq!(ask(), "candidate");
    shared.state.remove();
    shared.wait_for(0);
    assert_eq!(ask(), "control", "nobody knows what was decided");
}

#[test]
fn control_answers_for_a_candidate_that_cannot_be_reached() {
    let control = Recorder::answering("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ncontrol");
    let candidate = nobody();
    let shared = shared([control.address, candidate, nobody()], ALL, limits());
    for user in 0..5 {
        assert_eq!(shared.of(&user.to_string()), "control");
    }
    let body = "x".repeat(100_000);
    assert_eq!(shared.ask("POST /orders HTTP/1.1\r\nX-User: anna", &body), (200, "control".to_owned()));
    assert_eq!(control.asked().last().map(|asked| asked.body.len()), Some(100_000), "nothing was taken from it");
    assert_eq!(shared.next_unreachable(), [(Side::Candidate, true)], "once a second connection failed");
    shared.decide(2, Phase::RolledBack);

    let listener = TcpListener::bind(candidate).expect("its port is free");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                if stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nback");
                }
            });
        }
    });
    assert_eq!(shared.next_unreachable(), [(Side::Candidate, false)], "it is tried again, though it has no weight");
    shared.decide(3, Phase::Ramping);
    let began = Instant::now();
    while shared.of("anna") != "back" {
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    let slot = shared.slot(|slot| slot.live.len() > 2);
    assert!(slot.bad.is_empty(), "no request failed: {slot:?}");
}

#[test]
fn control_answers_repeatable_requests_if_the_candidate_broke_off() {
    let control = named("control");
    let candidate = Recorder::start(|_, _| false);
    let shared = shared([control.address, candidate.address, nobody()], ALL, limits());
    assert_eq!(shared.of("anna"), "control");
    let (status, _) = shared.ask("POST /orders HTTP/1.1\r\nX-User: anna", "x");
    assert_eq!(status, 502);
    assert_eq!(control.asked().len(), 1, "what may have been done is not done again");
    let slot = shared.slot(|slot| slot.bad.len() == 2);
    for bad in &slot.bad {
        assert_eq!((bad.side, bad.kind, bad.weights), (Side::Candidate, BadKind::Broken, ALL), "{slot:?}");
        assert!(bad.client.is_some());
    }
    assert!(shared.unreachable().is_empty());
}

#[test]
fn late_failures_and_missing_answers_count_as_the_candidates() {
    let control = named("control");
    let candidate = Recorder::start(|asked, stream| match asked.head.split(' ').nth(1) {
        Some("/half") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            false
        }
        Some("/hangs") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            thread::sleep(Duration::from_secs(600));
            false
        }
        Some("/slow") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 25\r\n\r\n");
            (0..25).all(|_| {
                thread::sleep(Duration::from_millis(100));
                stream.write_all(b"x").is_ok()
            })
        }
        Some("/events") => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            thread::sleep(Duration::from_millis(2500));
            false
        }
        Some("/error") => stream.write_all(b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n").is_ok(),
        _ => {
            thread::sleep(Duration::from_secs(600));
            false
        }
    });
    let limits = Limits { answer: Duration::from_millis(1500), ..limits() };
    let shared = shared([control.address, candidate.address, nobody()], ALL, limits);
    let user = "HTTP/1.1\r\nX-User: anna";
    assert_eq!(shared.ask(&format!("GET /half {user}"), ""), (200, "half".to_owned()));
    assert_eq!(shared.ask(&format!("GET /error {user}"), "").0, 503);
    assert_eq!(shared.ask(&format!("GET /slow {user}"), ""), (200, "x".repeat(25)));
    assert_eq!(shared.ask(&format!("GET /events {user}"), "").0, 200);
    let waiting = ["/never", "/hangs"].map(|target| {
        let mut client = Client::new(&shared.proxy);
        client.send(format!("GET {target} {user}\r\nHost: a\r\n\r\n"));
        client
    });
    let slot = shared.slot(|slot| slot.bad.len() == 4);
    let mut kinds: Vec<_> = slot.bad.iter().map(|bad| (bad.route.as_str(), bad.kind)).collect();
    kinds.sort();
    assert_eq!(
        kinds,
        [
            ("GET /error", BadKind::Error),
            ("GET /half", BadKind::Broken),
            ("GET /hangs", BadKind::TimedOut),
            ("GET /never", BadKind::TimedOut)
        ],
        "while the clients still wait"
    );
    assert!(slot.bad.iter().all(|bad| bad.side == Side::Candidate));
    drop(waiting);
}

#[test]
fn unfinished_requests_count_against_no_side() {
    let control = named("control");
    let candidate = named("candidate");
    let limits = Limits { answer: Duration::from_millis(300), ..limits() };
    let shared = shared([control.address, candidate.address, nobody()], ALL, limits);
    let owing: Vec<_> = (0..25)
        .map(|user| {
            let mut client = Client::new(&shared.proxy);
            client.send(format!("GET / HTTP/1.1\r\nHost: a\r\nX-User: {user}\r\nContent-Length: 5\r\n\r\n"));
            client
        })
        .collect();
    // Longer than a server may take, and than a client may wait that leaves for its own reasons.
    thread::sleep(Duration::from_millis(1500));
    drop(owing);
    assert_eq!(shared.of("anna"), "candidate");
    thread::sleep(Duration::from_millis(200));
    let slot = shared.slot(|slot| !slot.live.is_empty());
    assert!(slot.bad.is_empty() && slot.live.iter().all(|live| live.silent == 0), "{slot:?}");
}

#[test]
fn clients_that_leave_during_an_answer_count_only_if_the_server_was_silent() {
    let control = Recorder::start(|asked, stream| match asked.head.split(' ').nth(1) {
        Some("/silent") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            thread::sleep(Duration::from_secs(600));
            false
        }
        Some("/events") => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n";
            let _ = stream.write_all(head.as_bytes());
            thread::sleep(Duration::from_secs(600));
            false
        }
        _ => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
            false
        }
    });
    let shared = shared([control.address, nobody(), nobody()], Weights::CONTROL_ONLY, limits());
    let clients = ["/silent", "/events", "/endless"].map(|target| {
        let mut client = Client::new(&shared.proxy);
        client.send(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert!(client.head().starts_with("HTTP/1.1 200 "), "{target}");
        client
    });
    // Longer than a client waits that leaves for its own reasons.
    thread::sleep(Duration::from_millis(1500));
    drop(clients);
    let slot = shared.slot(|slot| slot.live.len() == 3);
    let silent: Vec<_> = slot.live.iter().filter(|live| live.silent > 0).map(|live| live.route.as_str()).collect();
    assert_eq!(silent, ["GET /silent"], "{slot:?}");
}

#[test]
fn clients_that_leave_early_are_a_separate_kind_of_evidence() {
    let control = named("control");
    let candidate = Recorder::start(|_, _| {
        thread::sleep(Duration::from_secs(600));
        false
    });
    let shared = shared([control.address, candidate.address, nobody()], ALL, limits());
    let mut client = Client::new(&shared.proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX-User: anna\r\n\r\n");
    thread::sleep(Duration::from_millis(200));
    drop(client);
    let slot = shared.slot(|slot| !slot.bad.is_empty());
    let [bad] = &slot.bad[..] else { panic!("{slot:?}") };
    assert_eq!((bad.kind, bad.side, bad.weights), (BadKind::Left, Side::Candidate, ALL));
    assert!(slot.live.iter().all(|live| live.silent == 0), "{slot:?}");
}
