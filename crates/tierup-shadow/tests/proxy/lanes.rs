//! Requests with side effects: each of control's calls arrives once, the candidate's do not leave, and what the candidate
//! calls otherwise than control is found, though all requests are alike.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use hyper::{header::HeaderName, http::request::Parts};
use tierup_parity::{CallOrder, Policy};
use tierup_rollout::evidence::Pair;
use tierup_shadow::{Address, Candidate, Collector, ControlLanes, Copies, Doubles, Ledger, Mirror, Proxy, Report};
use tierup_subject::{Attribution, Double, Relay, Service};

use crate::{
    rollout::mirror,
    support::{self, Client, Recorder, proxy_of, settings},
};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
/// Requests under way at a time.
const IN_FLIGHT: usize = 64;

/// What a server calls while it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Calls {
    Right,
    Skip,
    Twice,
    Other,
    /// With a body that is longer than what is kept.
    Long,
    /// So too, and without an answer to the client.
    LongAndSilent,
    /// Behind the answer.
    Late,
    /// Without the header of the request.
    Unmarked,
    /// Half a second after the request.
    Slow,
}

/// A server that stores each body at the address, by another call than the one that it was asked with.
fn server(store: (String, String), calls: Calls) -> SocketAddr {
    let store = store.1.trim_start_matches("http://").to_owned();
    let server = Recorder::start(move |asked, stream| {
        let body = String::from_utf8_lossy(&asked.body).into_owned();
        let bodies = match calls {
            _ if body.is_empty() => Vec::new(),
            Calls::Right | Calls::Late | Calls::Unmarked | Calls::Slow => vec![body],
            Calls::Skip => Vec::new(),
            Calls::Twice => vec![body.clone(), body],
            Calls::Other => vec![format!("{body}1")],
            Calls::Long | Calls::LongAndSilent => vec![body.repeat(20_000)],
        };
        let id = asked.value("x-request-id").filter(|_| calls != Calls::Unmarked).unwrap_or("none");
        if calls == Calls::Slow {
            thread::sleep(Duration::from_millis(500));
        }
        if calls == Calls::Late {
            let is_written = stream.write_all(OK.as_bytes()).is_ok();
            thread::sleep(Duration::from_millis(100));
            bodies.iter().for_each(|body| drop(post(&store, id, body)));
            return is_written;
        }
        if calls == Calls::LongAndSilent {
            bodies.iter().for_each(|body| drop(post(&store, id, body)));
            return false;
        }
        // A server that does not hear from the store says so.
        let is_stored = bodies.iter().all(|body| post(&store, id, body).starts_with("HTTP/1.1 200 "));
        let answer = if is_stored { OK } else { "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n" };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    server.address
}

fn post(store: &str, id: &str, body: &str) -> String {
    let mut answer = String::new();
    let mut ask = || {
        let mut stream = TcpStream::connect(store)?;
        let head = format!("POST /store HTTP/1.1\r\nHost: store\r\nX-Request-Id: {id}\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())?;
        stream.read_to_string(&mut answer)
    };
    // The caller sees that nothing came.
    let _ = ask();
    answer
}

/// The service, and how often it was called.
fn store() -> (String, Arc<AtomicU64>) {
    let stored = Arc::<AtomicU64>::default();
    let counted = Arc::clone(&stored);
    let store = Recorder::start(move |asked, stream| {
        assert_eq!(asked.body, b"7");
        counted.fetch_add(1, Relaxed);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nstored");
        false
    });
    (format!("http://{}", store.address), stored)
}

struct Shadow {
    proxy: Proxy,
    _mirror: Mirror,
    ledger: Ledger,
    stored: Arc<AtomicU64>,
}

/// Control calls rightly; the candidate calls like this.
fn shadow(by: &Attribution, control: Calls, candidate: Calls) -> Shadow {
    shadow_of(by, control, candidate, Pair::Candidate, None)
}

/// Copies ask the candidate, or the twin: its processes with doubles call like `twin`; one more calls the real service.
fn shadow_of(by: &Attribution, control: Calls, candidate: Calls, pair: Pair, twin: Option<Calls>) -> Shadow {
    let (address, stored) = store();
    let processes = if *by == Attribution::Lane { 8 } else { 1 };
    let relays = (0..processes).map(|_| {
        let real = address.parse().expect("an address");
        Relay::start("STORE", real, by.clone(), 10_000).expect("a relay starts")
    });
    let mut relays: Vec<_> = relays.map(|relay| (server(relay.environment(), control), relay)).collect();
    let (main, lanes) = match by {
        Attribution::Lane => (server(("STORE".into(), address.clone()), control), ControlLanes::processes(relays)),
        Attribution::Header(_) => {
            let (main, relay) = relays.remove(0);
            (main, ControlLanes::header(by.clone(), relay))
        }
    };
    let service =
        Service { variable: "STORE".into(), status: 200, content_type: "text/plain".into(), body: "no".into() };
    let policy = Policy { calls: CallOrder::Any, ..Policy::default() };
    let doubles = |calls| {
        let doubles = (0..processes).map(|_| Double::start(&service, by.clone(), 10_000).expect("a double starts"));
        let doubles = doubles.map(|double| (server(double.environment(), calls), double)).collect();
        let rules = policy.clone();
        Doubles::new(doubles, Box::new(move |_| rules.clone()))
    };
    let candidate = Candidate {
        address: Address { host: "127.0.0.1".into(), port: 1 },
        twin: Some(support::address(server(("STORE".into(), address.clone()), Calls::Right))),
        control: None,
        patience: Duration::from_secs(20),
        answer_bytes: 1000,
        doubles: Some(doubles(candidate)),
        twin_doubles: twin.map(doubles),
    };
    let sample = move |head: &Parts, _| (head.uri.path() != "/unsampled").then_some(pair);
    let (copies, copied) = Copies::new(256, Arc::new(sample));
    let copies = copies.in_lanes(lanes);
    let (collector, notes) = Collector::new(&[]);
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let mirror = mirror(candidate, copied, policy, &collector);
    let proxy = proxy_of(&settings(main), Some(copies), &collector);
    Shadow { proxy, _mirror: mirror, ledger, stored }
}

/// How many requests were not copied, by reason.
fn dropped(ledger: &Ledger) -> BTreeMap<String, u64> {
    Report::new(&ledger.summary(), &[]).coverage.dropped
}

impl Shadow {
    fn wait_for(&self, is_so: impl Fn(&Report) -> bool) {
        let began = Instant::now();
        while !is_so(&self.report()) {
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", self.report());
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn report(&self) -> Report {
        Report::new(&self.ledger.summary(), &[])
    }

    /// Sends so many requests, one after another, none of which can be compared for this reason.
    fn ask_without_comparing(&self, count: u64, why: &str) {
        let mut client = Client::new(&self.proxy);
        for id in 0..count {
            client.send(request("/orders", &id.to_string(), "7")).head();
            client.bytes(2);
        }
        let began = Instant::now();
        loop {
            let coverage = self.report().coverage;
            assert_eq!(coverage.compared, 0, "{coverage:?}");
            if coverage.not_comparable.get(why) == Some(&count) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{coverage:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends requests that are all alike until so many were compared. Returns how many were sent.
    fn run(&self, compared: u64) -> u64 {
        let (sent, enough) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for number in 0..IN_FLIGHT {
                let (sent, enough) = (&sent, &enough);
                scope.spawn(move || {
                    let mut client = Client::new(&self.proxy);
                    while !enough.load(Relaxed) {
                        let id = sent.fetch_add(1, Relaxed);
                        let head = client.send(request("/orders", &format!("{number}-{id}"), "7")).head();
                        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
                        assert_eq!(client.bytes(2), "ok");
                    }
                });
            }
            let began = Instant::now();
            while self.report().coverage.compared < compared && began.elapsed() < Duration::from_secs(120) {
                thread::sleep(Duration::from_millis(20));
            }
            enough.store(true, Relaxed);
        });
        sent.load(Relaxed)
    }
}

fn both() -> [Attribution; 2] {
    [Attribution::Lane, Attribution::Header(HeaderName::from_static("x-request-id"))]
}

#[test]
fn a_candidate_that_calls_as_control_does_is_alike_and_its_calls_do_not_leave() {
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
fn every_other_call_is_found_though_all_requests_are_alike() {
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
fn calls_behind_the_answer_belong_to_their_request() {
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
fn what_a_twin_with_doubles_calls_otherwise_is_noise() {
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
fn calls_that_do_not_carry_the_header_are_not_compared() {
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
    // Also those that are not in the sample carry the header.
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
fn two_requests_with_one_header_at_a_time_are_not_compared() {
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let shared = "effects not attributable, as another request had the same header at that time";
    let untold = "its calls to other services cannot be told from those of other requests";
    // Whether the second one is in the sample or not, the calls of the first are mixed with its.
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
        // Much later the header is another request's.
        thread::sleep(Duration::from_secs(3));
        clients[0].send(request("/orders", "one", "7")).head();
        shadow.wait_for(|report| report.coverage.compared == 1);
        assert_eq!(shadow.report().routes["POST /orders"].tally.same, 1, "{second}");
    }
}

#[test]
fn a_request_that_became_another_protocol_is_under_way_until_that_ends() {
    let by = Attribution::Header(HeaderName::from_static("x-request-id"));
    let (address, _) = store();
    let relay =
        Relay::start("STORE", address.parse().expect("an address"), by.clone(), 10_000).expect("a relay starts");
    let control = Recorder::start(|asked, stream| {
        let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        let answer = if asked.value("upgrade").is_some() { switching } else { OK };
        // Until the client has left, it may call others.
        let is_written = stream.write_all(answer.as_bytes()).is_ok();
        is_written && (answer == OK || stream.read(&mut [0]).is_err())
    });
    let (copies, _copied) = Copies::new(16, Arc::new(|_, _| Some(Pair::Candidate)));
    let (collector, notes) = Collector::new(&[]);
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let copies = copies.in_lanes(ControlLanes::header(by, relay));
    let proxy = proxy_of(&settings(control.address), Some(copies), &collector);
    let mut talks = Client::new(&proxy);
    talks.send("GET /chat HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    assert!(talks.head().starts_with("HTTP/1.1 101 "));
    // As long as a header is known behind its last request, and longer.
    thread::sleep(Duration::from_secs(3));
    let mut client = Client::new(&proxy);
    client.send(request("/orders", "one", "7")).head();
    wait_for(&ledger, "its calls to other services cannot be told from those of other requests", 1);
    client.bytes(2);
    drop(talks);
}

fn request(path: &str, id: &str, body: &str) -> String {
    let head = format!("POST {path} HTTP/1.1\r\nHost: shop\r\nX-Request-Id: {id}\r\n");
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn a_lane_that_is_not_there_or_whose_client_left_is_no_harm_to_the_next_request() {
    let (address, stored) = store();
    let main = server(("STORE".into(), address.clone()), Calls::Right);
    let relay = || {
        let real = address.parse().expect("an address");
        Relay::start("STORE", real, Attribution::Lane, 10_000).expect("a relay starts")
    };
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let (copies, _copied) = Copies::new(16, Arc::new(|_, _| Some(Pair::Candidate)));
    let copies = copies.in_lanes(ControlLanes::processes(vec![(nobody, relay())]));
    let (collector, notes) = Collector::new(&[]);
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

    // The lane's process works on when its client has left, and calls: no other request may have the lane meanwhile.
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
    let (collector, notes) = Collector::new(&[]);
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

/// Waits until so many requests were not copied for this reason.
fn wait_for(ledger: &Ledger, reason: &str, count: u64) {
    let began = Instant::now();
    while dropped(ledger).get(reason) != Some(&count) {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", dropped(ledger));
        thread::sleep(Duration::from_millis(5));
    }
}
