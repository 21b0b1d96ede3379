//! Servers that make right or wrong calls to a service while they answer, behind a proxy that copies requests.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use hyper::http::request::Parts;
use tierup_parity::{CallOrder, Policy};
use tierup_rollout::evidence::Pair;
use tierup_shadow::{
    Address, Report, Show,
    lanes::{ControlLanes, Doubles},
    parts::{Candidate, Collector, Copies, Ledger, Mirror, Proxy},
};
use tierup_subject::{Attribution, Double, Relay, Service};

use crate::{
    rollout::mirror,
    support::{self, Client, Recorder, proxy_of, settings},
};

pub(super) const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
/// The most requests under way.
const IN_FLIGHT: usize = 64;

/// The calls that a server makes while it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calls {
    Right,
    Skip,
    Twice,
    Other,
    /// A call with a body that is longer than what is kept.
    Long,
    /// A call as in `Long`, and no answer to the client.
    LongAndSilent,
    /// A call after the answer.
    Late,
    /// A call without the request's header.
    Unmarked,
    /// A call half a second after the request.
    Slow,
}

/// A server that stores each body at the address, with a call that is not the request itself.
pub(super) fn server(store: (String, String), calls: Calls) -> SocketAddr {
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
        // If the store does not answer, the server reports that.
        let is_stored = bodies.iter().all(|body| post(&store, id, body).starts_with("HTTP/1.1 200 "));
        let answer = if is_stored { OK } else { "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n" };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    server.address
}

pub(super) fn post(store: &str, id: &str, body: &str) -> String {
    let mut answer = String::new();
    let mut ask = || {
        let mut stream = TcpStream::connect(store)?;
        let head = format!("POST /store HTTP/1.1\r\nHost: store\r\nX-Request-Id: {id}\r\nConnection: close\r\n");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len())?;
        stream.read_to_string(&mut answer)
    };
    // The caller sees that no answer came.
    let _ = ask();
    answer
}

/// The service, and how often it was called.
pub(super) fn store() -> (String, Arc<AtomicU64>) {
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

pub(super) struct Shadow {
    pub(super) proxy: Proxy,
    _mirror: Mirror,
    pub(super) ledger: Ledger,
    pub(super) stored: Arc<AtomicU64>,
}

/// Control makes calls of one kind, the candidate of another.
pub(super) fn shadow(by: &Attribution, control: Calls, candidate: Calls) -> Shadow {
    shadow_of(by, control, candidate, Pair::Candidate, None)
}

/// Copies go to the candidate or the twin. The twin has processes with doubles, and one that calls the real service.
pub(super) fn shadow_of(by: &Attribution, control: Calls, candidate: Calls, pair: Pair, twin: Option<Calls>) -> Shadow {
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
        again_after: [Duration::ZERO; 3],
        answer_bytes: 1000,
        doubles: Some(doubles(candidate)),
        twin_doubles: twin.map(doubles),
    };
    let sample = move |head: &Parts, _| (head.uri.path() != "/unsampled").then_some(pair);
    let (copies, copied) = Copies::new(256, Arc::new(sample));
    let copies = copies.in_lanes(lanes);
    let (collector, notes) = Collector::showing(&[], Show::all());
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let mirror = mirror(candidate, copied, policy, &collector);
    let proxy = proxy_of(&settings(main), Some(copies), &collector);
    Shadow { proxy, _mirror: mirror, ledger, stored }
}

/// How many requests were not copied, by reason.
pub(super) fn dropped(ledger: &Ledger) -> BTreeMap<String, u64> {
    Report::new(&ledger.summary(), &[]).coverage.dropped
}

impl Shadow {
    pub(super) fn wait_for(&self, is_so: impl Fn(&Report) -> bool) {
        let began = Instant::now();
        while !is_so(&self.report()) {
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", self.report());
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(super) fn report(&self) -> Report {
        Report::new(&self.ledger.summary(), &[])
    }

    /// Sends this many requests, one after another, which all cannot be compared for this reason.
    pub(super) fn ask_without_comparing(&self, count: u64, why: &str) {
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

    /// Sends equal requests until this many were compared. Returns how many were sent.
    pub(super) fn run(&self, compared: u64) -> u64 {
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

pub(super) fn request(path: &str, id: &str, body: &str) -> String {
    let head = format!("POST {path} HTTP/1.1\r\nHost: shop\r\nX-Request-Id: {id}\r\n");
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
}
