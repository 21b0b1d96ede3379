//! Requests that are shared between control, the candidate and its twin: who answers which, and what becomes of those
//! that a side does not answer.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    path::Path,
    sync::{Arc, mpsc::Receiver},
    thread,
    time::{Duration, Instant, SystemTime},
};

use tempfile::TempDir;
use tierup_rollout::{
    Control, Part, Phase, RampKey, Side, Weights,
    evidence::{BadKind, Entry, Event, Slot},
};
use tierup_shadow::{Collector, Limits, Mirrored, Note, Pacing, Proxy, Routes, Sampled, Settings, Sharing, Steering};

use crate::support::{Client, Recorder, address, limits, proxy_of, settings};

/// A proxy in front of three servers, with its state folder.
struct Shared {
    folder: TempDir,
    proxy: Proxy,
    collector: Collector,
    notes: Receiver<Note>,
    steering: Arc<Steering>,
}

fn control_file(generation: u64, phase: Phase, weights: Weights) -> Control {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_secs();
    Control {
        ramp: "3f2a9c01".into(),
        generation,
        heartbeat: now,
        phase,
        weights,
        mirror: Part::ALL,
        second: Part::NONE,
        verify: Part::NONE,
        key: RampKey::new([5; 16]),
    }
}

fn write(folder: &Path, control: &Control) {
    let [new, path] = ["new", "control"].map(|name| folder.join(name));
    fs::write(&new, control.to_string()).and_then(|()| fs::rename(new, path)).expect("it is written");
}

const ALL: Weights = Weights { candidate: Part::ALL, twin: Part::NONE };

/// A control file with these weights is in force.
fn shared(sides: [SocketAddr; 3], weights: Weights, limits: Limits) -> Shared {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &control_file(1, Phase::Ramping, weights));
    let (collector, notes) = Collector::new(&[]);
    let sticky = Some("header:x-user".parse().expect("a key"));
    let routes = Routes::new(&["POST /orders".to_owned()]).expect("a route");
    let path = folder.path().join("control");
    let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
    let pacing = Pacing::new(sampled, Mirrored::default(), &collector);
    let steering = Steering::follow(path, sticky, routes, pacing).expect("it starts");
    let steering = Arc::new(steering);
    let [control, candidate, twin] = sides;
    let sharing =
        Sharing { candidate: Some(address(candidate)), twin: Some(address(twin)), steering: Arc::clone(&steering) };
    let settings = Settings { sharing: Some(sharing), limits, ..settings(control) };
    Shared { folder, proxy: proxy_of(&settings, None, &collector), collector, notes, steering }
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

    /// What was counted, once this holds.
    fn slot(&self, holds: impl Fn(&Slot) -> bool) -> Slot {
        let began = Instant::now();
        loop {
            let slot = self.collector.look();
            if holds(&slot) {
                return slot;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{slot:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn answering(name: &'static str) -> Recorder {
    Recorder::start(move |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{name}", name.len()).is_ok()
    })
}

fn three() -> [Recorder; 3] {
    ["control", "candidate", "twin"].map(answering)
}

fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port")
}

#[test]
fn a_client_is_answered_by_the_side_of_its_bucket_and_only_where_it_may_ramp() {
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
    let wait_for = |generation| {
        let began = Instant::now();
        while shared.steering.in_force().generation != generation {
            assert!(began.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_millis(5));
        }
    };
    // One connection: weights bind each request, not its connection.
    let mut client = Client::new(&shared.proxy);
    let mut ask = || {
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-User: anna\r\n\r\n");
        let head = client.head();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length").parse();
        client.bytes(length.expect("a number"))
    };
    assert_eq!(ask(), "candidate");
    write(shared.folder.path(), &control_file(2, Phase::RolledBack, ALL));
    wait_for(2);
    assert_eq!(ask(), "control");
    write(shared.folder.path(), &control_file(3, Phase::Ramping, ALL));
    wait_for(3);
    assert_eq!(ask(), "candidate");
    fs::remove_file(shared.folder.path().join("control")).expect("it was there");
    wait_for(0);
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
    thread::sleep(Duration::from_millis(1100));
    let body = "x".repeat(100_000);
    assert_eq!(shared.ask("POST /orders HTTP/1.1\r\nX-User: anna", &body), (200, "control".to_owned()));
    assert_eq!(control.asked().last().map(|asked| asked.body.len()), Some(100_000), "nothing was taken from it");
    assert_eq!(shared.unreachable(), [(Side::Candidate, true)], "it is said once");
    write(shared.folder.path(), &control_file(2, Phase::RolledBack, ALL));
    let began = Instant::now();
    while shared.steering.in_force().generation != 2 {
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }

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
    let mut said = Vec::new();
    let began = Instant::now();
    while said.is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "it is tried again, though it has no weight");
        thread::sleep(Duration::from_millis(50));
        said = shared.unreachable();
    }
    assert_eq!(said, [(Side::Candidate, false)]);
    write(shared.folder.path(), &control_file(3, Phase::Ramping, ALL));
    let began = Instant::now();
    while shared.of("anna") != "back" {
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    let slot = shared.slot(|slot| slot.live.len() > 2);
    assert!(slot.bad.is_empty(), "no request failed: {slot:?}");
}

#[test]
fn control_answers_what_may_be_repeated_where_the_candidate_broke_off() {
    let control = answering("control");
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
fn an_answer_that_fails_late_or_never_comes_is_the_candidates() {
    let control = answering("control");
    let candidate = Recorder::start(|asked, stream| match asked.head.split(' ').nth(1) {
        Some("/half") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
            false
        }
        Some("/error") => stream.write_all(b"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n").is_ok(),
        _ => {
            thread::sleep(Duration::from_secs(600));
            false
        }
    });
    let limits = Limits { answer: Duration::from_millis(300), ..limits() };
    let shared = shared([control.address, candidate.address, nobody()], ALL, limits);
    let user = "HTTP/1.1\r\nX-User: anna";
    assert_eq!(shared.ask(&format!("GET /half {user}"), ""), (200, "half".to_owned()));
    assert_eq!(shared.ask(&format!("GET /error {user}"), "").0, 503);
    let mut waiting = Client::new(&shared.proxy);
    waiting.send(format!("GET /never {user}\r\nHost: a\r\n\r\n"));
    let slot = shared.slot(|slot| slot.bad.len() == 3);
    let mut kinds: Vec<_> = slot.bad.iter().map(|bad| (bad.route.as_str(), bad.kind)).collect();
    kinds.sort();
    assert_eq!(
        kinds,
        [("GET /error", BadKind::Error), ("GET /half", BadKind::Broken), ("GET /never", BadKind::TimedOut)],
        "while its client still waits"
    );
    assert!(slot.bad.iter().all(|bad| bad.side == Side::Candidate));
    drop(waiting);
}
