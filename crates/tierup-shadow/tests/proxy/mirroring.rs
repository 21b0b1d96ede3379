//! Copies to a candidate: what it is asked, what comparing finds, and that clients do not notice.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use tierup_parity::Policy;
use tierup_shadow::{
    Report, Sampled, Show,
    parts::{Candidate, Collector, Copies, Ledger, Mirror, Proxy, Settings},
};

use crate::{
    rollout::mirror,
    support::{self, Client, Recorder, proxy_of, settings},
};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

/// A proxy with its mirror.
pub(crate) struct Shadow {
    pub(crate) proxy: Proxy,
    _mirror: Mirror,
    ledger: Ledger,
}

fn shadow(control: SocketAddr, candidate: SocketAddr, patience: Duration) -> Shadow {
    shadow_by(control, candidate, Policy::default(), patience)
}

/// A shadow that compares by this policy.
pub(crate) fn shadow_by(control: SocketAddr, candidate: SocketAddr, policy: Policy, patience: Duration) -> Shadow {
    shadow_of(&settings(control), candidate, policy, patience)
}

fn shadow_of(settings: &Settings, candidate: SocketAddr, policy: Policy, patience: Duration) -> Shadow {
    let sampled = Sampled::new(1.0, &["/logout".to_owned()]).expect("it is sound");
    let (copies, copied) = Copies::new(16, Arc::new(move |head, by| sampled.pair(head, by)));
    let candidate = Candidate {
        address: support::address(candidate),
        twin: None,
        control: None,
        patience,
        again_after: [Duration::ZERO; 3],
        answer_bytes: 100_000,
        doubles: None,
        twin_doubles: None,
    };
    let (collector, notes) = Collector::showing(&[], Show::all());
    let ledger = Ledger::start(&collector, notes, None, Box::new(|_| None)).expect("it starts");
    let mirror = mirror(candidate, copied, policy, &collector);
    let proxy = proxy_of(settings, Some(copies), &collector);
    Shadow { proxy, _mirror: mirror, ledger }
}

impl Shadow {
    /// The report once it is enough, or after a minute.
    pub(crate) fn report(&self, is_enough: impl Fn(&Report) -> bool) -> Report {
        let began = Instant::now();
        loop {
            let report = Report::new(&self.ledger.summary(), &[]);
            if is_enough(&report) || began.elapsed() > Duration::from_secs(60) {
                return report;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn the_candidate_is_asked_what_control_was_asked() {
    let control = Recorder::answering(OK);
    let candidate = Recorder::answering(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\n\r\nno",
    );
    let shadow = shadow(control.address, candidate.address, Duration::from_secs(20));
    let mut client = Client::new(&shadow.proxy);
    let answer = client.send("GET /a?b HTTP/1.1\r\nHost: shop\r\nX-Own: 1\r\nX-Tierup-Shadow: 0\r\n\r\n").head();
    assert!(!answer.contains("Set-Cookie"), "{answer}");
    assert_eq!(client.bytes(2), "ok");
    client.send("POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\n\r\nx").head();
    client.bytes(2);
    client.send("GET /logout HTTP/1.1\r\nHost: shop\r\n\r\n").head();
    client.bytes(2);

    let report = shadow.report(|report| !report.examples().is_empty() && report.coverage.compared == 1);
    assert_eq!((report.coverage.sampled, report.coverage.compared), (1, 1));
    let example = report.routes["GET /a"].examples.values().next().expect("the answers differ");
    assert_eq!((example.request.as_str(), example.count), ("GET /a?b", 1));
    let asked = candidate.asked();
    assert_eq!(asked.len(), 1, "neither what may change data nor what is denied");
    assert!(asked[0].head.starts_with("GET /a?b HTTP/1.1\r\n"), "{}", asked[0].head);
    for line in ["host: shop", "x-own: 1", "x-forwarded-for: 127.0.0.1", "x-tierup-shadow: 1"] {
        assert!(asked[0].has(line), "{line}\n{}", asked[0].head);
    }
    assert!(control.asked().iter().all(|asked| asked.value("x-tierup-shadow").is_none()));
}

/// A server that answers once the returned sender is dropped.
fn withheld() -> (Recorder, mpsc::Sender<()>) {
    let (release, released) = mpsc::channel();
    let released = Mutex::new(released);
    let server = Recorder::start(move |_, stream| {
        let _ = released.lock().expect("no test panics here").recv();
        stream.write_all(OK.as_bytes()).is_ok()
    });
    (server, release)
}

fn mirrored(control: SocketAddr, candidate: SocketAddr, most: usize) -> Shadow {
    let settings = Settings { mirrored: Some(most), ..settings(control) };
    shadow_of(&settings, candidate, Policy::default(), Duration::from_secs(20))
}

#[test]
fn a_mirrored_request_is_answered_at_once_and_reaches_control_only_to_be_compared() {
    let (control, release) = withheld();
    let candidate = Recorder::answering("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno");
    let shadow = mirrored(control.address, candidate.address, 16);
    let mut client = Client::new(&shadow.proxy);
    for request in [
        "GET /a?b HTTP/1.1\r\nHost: shop-shadow:81\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: shop\r\nContent-Length: 1\r\n\r\nx",
        "GET /logout HTTP/1.1\r\nHost: shop\r\n\r\n",
        "GET /copied HTTP/1.1\r\nHost: shop\r\nX-Tierup-Shadow: 1\r\n\r\n",
        "GET /tunnel HTTP/1.1\r\nHost: shop-shadow\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    ] {
        let answer = client.send(request).head();
        assert!(answer.starts_with("HTTP/1.1 204 "), "{request}\n{answer}");
    }
    drop(release);
    let report = shadow.report(|report| report.coverage.compared == 2);
    let example = report.routes["GET /a"].examples.values().next().expect("the answers differ");
    assert_eq!((example.request.as_str(), example.count), ("GET /a?b", 1));
    let mut asked = control.asked();
    asked.sort_by(|one, other| one.head.cmp(&other.head));
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].head.starts_with("GET /a?b ") && asked[0].has("Host: shop:81"), "{}", asked[0].head);
    assert!(asked[1].head.starts_with("GET /tunnel ") && !asked[1].head.contains("upgrade"), "{}", asked[1].head);
    assert!(asked.iter().all(|asked| asked.has("x-tierup-shadow: 1")), "{asked:?}");
}

#[test]
fn a_mirrored_stream_without_end_keeps_no_place() {
    let control = Recorder::start(|asked, stream| match asked.head.starts_with("GET /events ") {
        true => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            // It goes on for as long as somebody listens.
            while stream.write_all(b"6\r\ndata:\n\r\n").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
            false
        }
        false => stream.write_all(OK.as_bytes()).is_ok(),
    });
    let candidate = Recorder::answering(OK);
    let shadow = mirrored(control.address, candidate.address, 1);
    let mut client = Client::new(&shadow.proxy);
    let began = Instant::now();
    let mut sent = 0;
    // Control's place is free again a moment after the stream has begun.
    while candidate.asked().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "{sent} requests were sent");
        let path = if sent == 0 { "/events" } else { "/a" };
        client.send(format!("GET {path} HTTP/1.1\r\nHost: shop\r\n\r\n")).head();
        sent += 1;
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn control_has_only_so_many_mirrored_requests_at_a_time() {
    let (control, release) = withheld();
    let candidate = Recorder::answering(OK);
    let shadow = mirrored(control.address, candidate.address, 2);
    let mut client = Client::new(&shadow.proxy);
    for _ in 0..5 {
        client.send("GET /a HTTP/1.1\r\nHost: shop\r\n\r\n").head();
    }
    drop(release);
    let report = shadow.report(|report| report.coverage.compared == 2);
    assert_eq!((report.coverage.sampled, report.coverage.compared, control.asked().len()), (5, 2, 2));
}

/// A server that does something to each connection once it got a request.
fn rude(does: impl Fn(std::net::TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let does = Arc::new(does);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let does = Arc::clone(&does);
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                does(stream);
            });
        }
    });
    address
}

#[test]
fn clients_do_not_notice_what_happens_to_copies() {
    let control = Recorder::answering(OK);
    let nobody = support::nobody();
    let candidates = [
        ("refuses", nobody),
        ("hangs", rude(|_stream| thread::sleep(Duration::from_secs(600)))),
        ("closes", rude(drop)),
        ("is no server", rude(|mut stream| drop(stream.write_all(b"hello\r\n\r\n")))),
        (
            "never ends",
            rude(|mut stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                while stream.write_all(b"4\r\nwork\r\n").is_ok() {}
            }),
        ),
        (
            "takes its time",
            rude(|mut stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
                while stream.write_all(b"x").is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
            }),
        ),
        (
            "breaks off in the middle",
            rude(|mut stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"))),
        ),
        (
            "says two lengths",
            rude(|mut stream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk");
            }),
        ),
    ];
    for (what, candidate) in candidates {
        let shadow = shadow(control.address, candidate, Duration::from_millis(500));
        let mut client = Client::new(&shadow.proxy);
        for _ in 0..40 {
            let head = client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head();
            assert_eq!(head, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n", "{what}");
            assert_eq!(client.bytes(2), "ok", "{what}");
        }
        let report = shadow.report(|report| report.coverage.sampled == 40);
        let route = &report.routes["GET /"];
        assert_eq!(route.tally.same, 0, "{what}: {route:?}");
        let [silent, dropped] = [&route.not_comparable, &route.dropped].map(|counts| counts.values().sum::<u64>());
        // An answer that breaks off counts as an answer, and differs from control's.
        let (differ, other) = (route.tally.mismatch as u64, "breaks off in the middle");
        assert!(if what == other { differ > 0 } else { silent > 0 && differ == 0 }, "{what}: {route:?}");
        assert_eq!(silent + dropped + differ, 40, "{what}: {route:?}");
    }
}

#[test]
fn a_late_body_after_head_is_not_read_as_the_next_answer() {
    let answer = |late: bool| {
        Recorder::start(move |asked, stream| match asked.head.split(' ').next() {
            Some("HEAD") => stream.write_all(OK.trim_end_matches("ok").as_bytes()).is_ok(),
            _ if late && asked.connection == 0 => stream.write_all(b"late").is_ok(),
            _ => stream.write_all(OK.as_bytes()).is_ok(),
        })
    };
    let (control, candidate) = (answer(false), answer(true));
    let shadow = shadow(control.address, candidate.address, Duration::from_secs(20));
    for (number, method) in ["HEAD", "GET", "GET"].into_iter().enumerate() {
        let request = format!("{method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        Client::new(&shadow.proxy).send(request).rest();
        shadow.report(|report| report.coverage.compared > number as u64);
    }
    let tally = |route: &str| shadow.report(|_| true).routes[route].tally.same;
    assert_eq!((tally("HEAD /"), tally("GET /")), (1, 2));
    let connections: Vec<_> = candidate.asked().iter().map(|asked| asked.connection).collect();
    assert_eq!(connections, [0, 1, 1], "only one after HEAD is not kept");
}

#[test]
fn compressed_answers_are_compared_and_shown_decoded() {
    let gzip = |text: &str, level| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("there is room")
    };
    let server = move |says: &'static str, level| {
        Recorder::start(move |asked, stream| {
            let same = "the same, the same, the same, the same";
            let is_same = asked.head.starts_with("GET /same ");
            let body = gzip(if is_same { same } else { says }, level);
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length:";
            write!(stream, "{head} {}\r\n\r\n", body.len()).and_then(|()| stream.write_all(&body)).is_ok()
        })
    };
    let (control, candidate) = (server("sum 40", 1), server("sum 41, asked with s3cr3t-1-2-3-4", 9));
    let shadow = shadow(control.address, candidate.address, Duration::from_secs(20));
    for target in ["/same", "/sum"] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer s3cr3t-1-2-3-4\r\n");
        Client::new(&shadow.proxy).send(format!("{request}Connection: close\r\n\r\n")).rest();
    }
    let report = shadow.report(|report| report.coverage.compared == 2 && !report.examples().is_empty());
    assert_eq!(report.routes["GET /same"].tally.same, 1, "{report:?}");
    let example = report.routes["GET /sum"].examples.values().next().expect("they differ");
    assert!(example.difference.contains("sum 41") && example.difference.contains("sum 40"), "{example:?}");
    assert!(!format!("{report:?}").contains("s3cr3t"), "{report:?}");
}
