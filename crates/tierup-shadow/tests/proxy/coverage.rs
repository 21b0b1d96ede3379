//! How much of the sample is compared. Slow requests, and answers that need much memory, leave room for others; and a
//! report that knows little says so first.

use std::{
    io::Write as _,
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use tierup_parity::{Comparator, JsonRules, Policy};
use tierup_report::{
    Exporter as _, Text,
    text::{Colour, Style},
};
use tierup_rollout::evidence::Pair;
use tierup_shadow::{
    Report,
    parts::{Collector, Copies},
};

use crate::{
    mirroring::{Shadow, shadow_by},
    rollout::slot,
    support::{Client, Recorder, proxy_of, settings},
};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
/// A time limit that no test reaches.
const PATIENCE: Duration = Duration::from_secs(300);
const POLLS: usize = 80;
/// More requests than polls, so that most of the sample is compared; but too few to teach the route's latency: until
/// then, requests that take up to 30 s are compared.
const ORDINARY: u64 = 90;

/// A gate that opens for all who wait.
#[derive(Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn wait(&self) {
        let is_open = self.0.lock().expect("no test panics here");
        drop(self.1.wait_while(is_open, |is_open| !*is_open).expect("no test panics here"));
    }

    fn open(&self) {
        *self.0.lock().expect("no test panics here") = true;
        self.1.notify_all();
    }
}

/// A server that answers `/poll` once the gate opens.
fn polled(gate: &Arc<Gate>) -> Recorder {
    let gate = Arc::clone(gate);
    Recorder::start(move |asked, stream| {
        if asked.head.starts_with("GET /poll") {
            gate.wait();
        }
        stream.write_all(OK.as_bytes()).is_ok()
    })
}

fn ask(client: &mut Client, target: &str) {
    client.send(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n")).head();
    client.bytes(2);
}

fn said(report: &Report) -> String {
    Text(Style { width: None, colour: Colour::Plain }).export(report)
}

/// Sends polls that wait, and then ordinary requests, one at a time as they are compared. Returns the clients of the
/// polls, and the report while they wait.
fn beside_polls(shadow: &Shadow) -> (Vec<Client>, Report) {
    let polls: Vec<_> = (0..POLLS)
        .map(|_| {
            let mut client = Client::new(&shadow.proxy);
            client.send("GET /poll HTTP/1.1\r\nHost: a\r\n\r\n");
            client
        })
        .collect();
    let mut client = Client::new(&shadow.proxy);
    let of = |report: &Report| report.routes.get("GET /").map_or(0, |route| route.tally.compared() as u64);
    for number in 1..=ORDINARY {
        ask(&mut client, "/");
        let report = shadow.report(|report| of(report) == number);
        assert_eq!(of(&report), number, "{report:?}");
    }
    (polls, shadow.report(|_| true))
}

#[test]
fn requests_beside_many_slow_ones_are_compared() {
    let gate = Arc::<Gate>::default();
    let (control, candidate) = (polled(&gate), Recorder::answering(OK));
    let shadow = shadow_by(control.address, candidate.address, Policy::default(), PATIENCE);
    let (mut polls, report) = beside_polls(&shadow);
    assert_eq!(report.coverage.dropped.values().sum::<u64>(), 0, "{report:?}");
    gate.open();
    polls.iter_mut().for_each(|client| drop(client.head()));
    assert!(!said(&shadow.report(|_| true)).starts_with("only"));
}

#[test]
fn unanswered_copies_leave_places_to_others() {
    let gate = Arc::<Gate>::default();
    let (control, candidate) = (Recorder::answering(OK), polled(&gate));
    let shadow = shadow_by(control.address, candidate.address, Policy::default(), PATIENCE);
    let (_polls, report) = beside_polls(&shadow);
    let polls = &report.routes["GET /poll"];
    let busy = polls.dropped.get("too many copies were under way").copied().unwrap_or_default();
    assert!(polls.tally.compared() == 0 && busy >= 64, "{report:?}");
    gate.open();
}

#[test]
fn a_report_that_knows_little_says_so_first() {
    let server = || {
        Recorder::start(|asked, stream| {
            let kind = if asked.head.starts_with("GET /events") { "event-stream" } else { "plain" };
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/{kind}\r\nContent-Length: 2\r\n\r\nok").is_ok()
        })
    };
    let (control, candidate) = (server(), server());
    let shadow = shadow_by(control.address, candidate.address, Policy::default(), PATIENCE);
    let mut client = Client::new(&shadow.proxy);
    ["/", "/events", "/events", "/events"].into_iter().for_each(|target| ask(&mut client, target));
    let report = shadow.report(|report| report.coverage.sampled == 4);
    let doubt = "only 1 of the 4 requests in the sample were compared (25 %)";
    let said = said(&report);
    assert!(said.starts_with(doubt), "{said}");
    assert!(said.ends_with(&format!("=> {doubt}; everything that was compared is alike\n")), "{said}");
}

#[test]
fn only_the_status_is_compared_if_a_decoded_answer_is_too_large() {
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("there is room")
    };
    let bomb = move |end: &str, values: usize| gzip(&format!("[{}{end}]", "0,".repeat(values)));
    let server = move |end: &'static str| {
        // The first body is too large to be decoded; the second one, once decoded, for a tree; the third one is small.
        let bodies =
            [("/decoded", 8 << 20), ("/tree", 900_000), ("/small", 10)].map(|(at, values)| (at, bomb(end, values)));
        Recorder::start(move |asked, stream| {
            let target = asked.head.split(' ').nth(1).unwrap_or_default();
            let (target, fault) = target.split_once('?').unwrap_or((target, ""));
            let status = match fault {
                "silent" if end == "2" => return false,
                "broken" if end == "2" => 500,
                _ => 200,
            };
            let body = &bodies.iter().find(|(at, _)| *at == target).expect("it is one of these").1;
            let head = "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length:";
            write!(stream, "HTTP/1.1 {status} X\r\n{head} {}\r\n\r\n", body.len())
                .and_then(|()| stream.write_all(body))
                .is_ok()
        })
    };
    let (control, candidate) = (server("1"), server("2"));
    let policy = Policy { bodies: Comparator::Json(JsonRules::default()), ..Policy::default() };
    let shadow = shadow_by(control.address, candidate.address, policy, PATIENCE);
    let ask = |target: &str| {
        Client::new(&shadow.proxy).send(format!("GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).rest()
    };
    let targets = ["/decoded", "/tree", "/small", "/tree", "/small", "/tree?broken", "/tree?silent"];
    for (number, target) in targets.into_iter().enumerate() {
        ask(target);
        shadow.report(|report| {
            let Report { coverage, .. } = report;
            coverage.compared + coverage.not_comparable.values().sum::<u64>() > number as u64
        });
    }
    let report = shadow.report(|report| report.coverage.compared == 3);
    let reasons = [
        ("a body is larger than 2 MiB once it is decoded", 1),
        ("comparing it would take more memory than copies may have", 2),
        ("no answer", 1),
    ];
    assert_eq!(
        report.coverage.not_comparable,
        reasons.map(|(why, count)| (why.to_owned(), count)).into(),
        "{report:?}"
    );
    assert_eq!(report.routes["GET /small"].tally.mismatch, 2, "memory comes back: {report:?}");
    assert_eq!(report.routes["GET /tree"].tally.mismatch, 1, "the statuses differ: {report:?}");
    assert!(said(&report).contains("2 times there was nothing to compare: comparing it would take more memory"));
}

#[test]
fn recordings_stay_within_the_memory() {
    let large = format!("HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n{}", "x".repeat(400_000));
    let control = Recorder::start(move |_, stream| stream.write_all(large.as_bytes()).is_ok());
    let (copies, mut copied) = Copies::new(64, Arc::new(|_, _| Some(Pair::Candidate)));
    let copies = copies.within(1 << 20);
    let (collector, _notes) = Collector::new(&[]);
    let proxy = proxy_of(&settings(control.address), Some(copies.clone()), &collector);
    let mut client = Client::new(&proxy);
    let mut ask = || {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head();
        client.bytes(400_000);
    };
    (0..5).for_each(|_| ask());
    let reason = "copies took all the memory that they may";
    slot(&collector, |slot| slot.copies.iter().filter_map(|copies| copies.dropped.get(reason)).sum::<u64>() > 2);
    let kept = std::iter::from_fn(|| copied.try_recv().ok()).count();
    assert!((1..=2).contains(&kept), "{kept}");
    ask();
    let copy = copied.blocking_recv().expect("there is memory again");
    assert_eq!(copy.answer.body.len(), 400_000);
}
