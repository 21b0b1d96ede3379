//! How many instructions the parsers, the judge and the proxy's request path execute, as valgrind counts them. The counts
//! repeat to within two thousandths, even on a busy machine. A benchmark fails above its bound, which is a twentieth more
//! than the last count:
//!
//! ```text
//! cargo install --locked gungraun-runner@0.17.2
//! cargo bench
//! ```
//!
//! A change that is worth its additional instructions raises the bound, and its commit says why.

use std::{
    hint::black_box,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use gungraun::{
    Callgrind, EntryPoint, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
use rand::{SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};
use simulation::{End, plan, ramp, worlds::INNOCENT};
use tierup_profile::{Ranking, Reading, rank, read_part};
use tierup_requests::Recording;
use tierup_rollout::evidence::Line;
use tierup_shadow::{
    Address, Limits,
    listening::Port,
    parts::{Collector, Proxy, Settings},
};

#[allow(dead_code)]
#[path = "../../crates/tierup-rollout/tests/simulation/mod.rs"]
mod simulation;

/// Fails above so many instructions.
fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(Callgrind::default().hard_limits([(EventKind::Ir, instructions)]));
    config
}

/// A recording of 200 requests.
fn recording() -> String {
    let entry = |number: usize| {
        let header = |name: &str, value: &str| json!({ "name": name, "value": value });
        let headers = [header("Accept", "application/json"), header("Cookie", "session=abcdef; theme=dark")];
        json!({
            "startedDateTime": "2026-11-28T12:00:00.000Z",
            "time": 12.5,
            "request": {
                "method": "POST", "httpVersion": "HTTP/1.1", "url": format!("http://shop.test/basket/{number}?page=2"),
                "headers": headers, "queryString": [{ "name": "page", "value": "2" }], "cookies": [],
                "postData": { "mimeType": "application/json", "text": format!(r#"{{"lines":[{number},2,3]}}"#) },
            },
            "response": { "status": 200, "headers": headers, "content": { "text": "{}".repeat(200) } },
        })
    };
    json!({ "log": { "version": "1.2", "entries": (0..200).map(entry).collect::<Vec<Value>>() } }).to_string()
}

#[library_benchmark(config = at_most(9_430_000), setup = recording)]
#[bench::of_200_requests()]
fn har(text: String) -> usize {
    black_box(Recording::parse("a.har", &text, None).expect("a recording")).set.requests.len()
}

/// A profile of V8 with 5,000 samples in 200 functions, five deep.
fn profile() -> Vec<u8> {
    let node = |number: usize| {
        let children: Vec<usize> = (1..6).map(|child| number * 5 + child).filter(|child| *child < 200).collect();
        let frame = json!({
            "functionName": format!("function{number}"), "scriptId": "7", "url": "file:///shop/src/price.js",
            "lineNumber": number, "columnNumber": 4,
        });
        json!({ "id": number + 1, "callFrame": frame, "hitCount": 1,
            "children": children.into_iter().map(|child| child + 1).collect::<Vec<_>>() })
    };
    let samples: Vec<usize> = (0..5_000).map(|sample| sample * 7 % 200 + 1).collect();
    let profile = json!({
        "nodes": (0..200).map(node).collect::<Vec<Value>>(), "startTime": 0, "endTime": 5_000_000,
        "samples": samples, "timeDeltas": vec![1_000; 5_000],
    });
    profile.to_string().into_bytes()
}

#[library_benchmark(config = at_most(24_320_000), setup = profile)]
#[bench::of_5000_samples()]
fn cpuprofile(bytes: Vec<u8>) -> Ranking {
    rank(&read_part(&bytes, &Reading::default()).expect("a profile"))
}

/// A line of evidence, with a slot, as a proxy writes one every five seconds.
fn slot() -> String {
    let seed = include_str!("../../fuzz/seeds/evidence/slot.jsonl");
    seed.lines().find(|line| line.contains(r#""entry":"slot""#)).expect("a slot").to_owned()
}

#[library_benchmark(config = at_most(157_400), setup = slot)]
#[bench::of_a_slot()]
fn evidence(text: String) -> String {
    Line::parse(&text).expect("a line").to_text().expect("JSON")
}

// A whole ramp of a candidate that is as good as control: some 80 minutes in slots of five seconds, with their simulated traffic.
#[library_benchmark(config = at_most(267_600_000))]
#[bench::of_a_ramp(1939)]
fn judge(seed: u64) {
    let outcome = ramp(&INNOCENT[0], &plan(), 12 * 3600, &mut StdRng::seed_from_u64(seed), |judge| judge);
    assert_eq!(outcome.end, End::Ready);
}

const REQUESTS: usize = 2_000;
const REQUEST: &[u8] = b"GET /basket/7?page=2 HTTP/1.1\r\nHost: shop.test\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\
    Accept-Encoding: gzip, br\r\nCookie: session=abcdef; theme=dark\r\nX-Request-Id: 0123456789abcdef\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\
    Date: Sat, 28 Nov 2026 12:00:00 GMT\r\n\r\n{\"sum\": 42}";

// Through the proxy on one connection, in the whole program: client and control write and read a few constant bytes.
#[library_benchmark(config = everywhere(147_200_000))]
#[bench::of_2000_requests()]
fn proxy() {
    let control = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = control.local_addr().expect("an address");
    thread::spawn(move || control.incoming().flatten().for_each(|stream| drop(thread::spawn(move || answer(stream)))));
    let settings = Settings {
        control: of(address),
        sharing: None,
        trusted_proxies: vec![],
        mirrored: None,
        limits: Limits::default(),
        port: Port::Alone,
        threads: 1,
    };
    let (collector, notes) = Collector::new(&[]);
    // Nobody reads the notes, and the collector drops notes that do not fit.
    std::mem::forget(notes);
    let port = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let proxy = Proxy::start(port, &settings, None, &collector).expect("a proxy");
    let mut client = TcpStream::connect(proxy.address()).expect("the proxy accepts");
    for _ in 0..REQUESTS {
        client.write_all(REQUEST).expect("the proxy reads");
        assert!(until(&mut client, b"42}").starts_with(b"HTTP/1.1 200 OK\r\n"));
    }
}

fn of(address: SocketAddr) -> Address {
    Address { host: address.ip().to_string(), port: address.port() }
}

fn everywhere(instructions: u64) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    let mut tool = Callgrind::default();
    tool.entry_point(EntryPoint::None).hard_limits([(EventKind::Ir, instructions)]);
    config.tool(tool);
    config
}

fn answer(mut stream: TcpStream) {
    while !until(&mut stream, b"\r\n\r\n").is_empty() {
        stream.write_all(ANSWER).expect("the proxy reads");
    }
}

/// Reads up to this end. Returns nothing once the connection has ended.
fn until(stream: &mut TcpStream, end: &[u8]) -> Vec<u8> {
    let mut read = Vec::new();
    while !read.ends_with(end) {
        let mut some = [0; 4096];
        match stream.read(&mut some) {
            Ok(0) | Err(_) => return Vec::new(),
            Ok(length) => read.extend(&some[..length]),
        }
    }
    read
}

library_benchmark_group!(name = readers, benchmarks = [har, cpuprofile, evidence]);
library_benchmark_group!(name = rollout, benchmarks = [judge, proxy]);
main!(library_benchmark_groups = [readers, rollout]);
