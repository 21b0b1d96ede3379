//! The server's bounds: clients cannot take its memory, its connections or its threads.

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;

use crate::process::{Process, build};

const LIVEZ: &[u8] = b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n";

/// Many requests with small answers, and requests with answers that are more than the operating system takes.
fn requests(large: bool) -> Vec<u8> {
    match large {
        false => {
            b"DELETE /texts HTTP/1.1\r\nhost: a\r\n\r\nGET /draw?text=hello HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000)
        }
        true => b"GET /fill?length=19000000 HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000),
    }
}

#[test]
fn clients_that_never_read_small_answers_cost_little() {
    never_read(&requests(false));
}

#[test]
fn clients_that_never_read_large_answers_cost_little() {
    never_read(&requests(true));
}

/// Twenty such clients, and a server with few descriptors whose log nobody reads.
fn never_read(requests: &[u8]) {
    let environment = [("TIERUP_LOG", "access"), ("TIERUP_ADMIN_PORT", "0"), ("TIERUP_WORKERS", "2")];
    let server = Process::start_limited(build(), 64, &environment);
    let clients: Vec<_> = thread::scope(|scope| {
        let clients: Vec<_> = (0..20).map(|_| scope.spawn(|| server.never_reads(requests))).collect();
        clients.into_iter().map(|client| client.join().expect("it connects")).collect()
    });
    let most = server.most_memory();
    assert!(most < 64, "{most} MiB");
    assert_eq!(server.answer(b"GET /draw?text=hello HTTP/1.1\r\nhost: a\r\n\r\n"), "200 image/png: hello");
    assert_eq!(server.ask_admin(LIVEZ), "200: ok");
    // This returns, so the server does not wait for such clients.
    let (status, _) = server.terminate();
    assert!(status.success(), "{status}");
    drop(clients);
}

#[test]
fn a_client_that_takes_nothing_is_closed() {
    let server = Process::start(build(), &[("TIERUP_CONNECTIONS", "1"), ("TIERUP_WRITE_TIMEOUT", "1")]);
    let client = server.never_reads(&requests(false));
    // There is only one place, so this is answered once the other connection has lost it.
    assert_eq!(server.answer(LIVEZ), "200: ok");
    drop(client);
}

#[test]
fn health_is_answered_when_all_connections_are_taken() {
    let server = Process::start(build(), &[("TIERUP_CONNECTIONS", "2"), ("TIERUP_ADMIN_PORT", "0")]);
    let clients = [server.never_reads(&requests(false)), server.never_reads(&requests(false))];
    let mut waiting = server.connect();
    waiting.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").expect("sent");
    waiting.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    assert!(waiting.read(&mut [0]).is_err(), "there are only two places");
    assert_eq!(server.ask_admin(LIVEZ), "200: ok");
    assert_eq!(server.ask_admin(b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n"), "200: ok");
    assert_eq!(server.ask_admin(b"GET /draw?text=a HTTP/1.1\r\nhost: a\r\n\r\n"), "404: not found");
    drop(clients);
    let mut answer = String::new();
    waiting.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    waiting.read_to_string(&mut answer).expect("it has a place now");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn more_calls_than_may_wait_are_refused() {
    let server = Process::start(build(), &[("TIERUP_WORKERS", "1"), ("TIERUP_QUEUE", "1")]);
    thread::scope(|scope| {
        let slow = || server.answer(b"GET /slow?milliseconds=3000 HTTP/1.1\r\nhost: a\r\n\r\n");
        let running = scope.spawn(slow);
        thread::sleep(Duration::from_millis(500));
        let waiting = scope.spawn(slow);
        thread::sleep(Duration::from_millis(500));
        expect!["503 1: too many calls are waiting"].assert_eq(&slow());
        assert_eq!(server.answer(LIVEZ), "200: ok");
        for call in [running, waiting] {
            assert_eq!(call.join().expect("it is answered"), "200 application/json: 3000");
        }
    });
}

#[test]
fn a_client_that_goes_away_leaves_the_queue() {
    let server = Process::start(build(), &[("TIERUP_WORKERS", "1"), ("TIERUP_QUEUE", "1")]);
    let slow = |milliseconds: u32| format!("GET /slow?milliseconds={milliseconds} HTTP/1.1\r\nhost: a\r\n\r\n");
    thread::scope(|scope| {
        let running = scope.spawn(|| server.answer(slow(4000).as_bytes()));
        thread::sleep(Duration::from_millis(500));
        let mut waiting = server.connect();
        waiting.write_all(slow(4000).as_bytes()).expect("sent");
        thread::sleep(Duration::from_millis(500));
        assert_eq!(server.answer(slow(1).as_bytes()), "503 1: too many calls are waiting");
        drop(waiting);
        thread::sleep(Duration::from_millis(500));
        assert_eq!(server.answer(slow(1).as_bytes()), "200 application/json: 1");
        assert_eq!(running.join().expect("it is answered"), "200 application/json: 4000");
    });
}

const DRAW: &[u8] = b"GET /draw?text=hello HTTP/1.1\r\nhost: a\r\n\r\n";

fn fill(length: usize) -> Vec<u8> {
    format!("GET /fill?length={length} HTTP/1.1\r\nhost: a\r\n\r\n").into()
}

/// An answer above the bound, to a client that keeps reading.
#[test]
fn a_large_answer_to_a_slow_client_delays_no_other() {
    let server = Process::start(build(), &[("TIERUP_UNSENT_LIMIT", "1000000")]);
    let slow = server.reads_slowly(&fill(100_000_000));
    for length in [1, 100_000, 20_000_000] {
        assert_eq!(server.answer(DRAW), "200 image/png: hello");
        let answer = server.answer(&fill(length));
        assert!(answer.starts_with("200 application/octet-stream: x"), "{}", &answer[..answer.len().min(80)]);
    }
    assert!(slow.is_reading(), "it was closed");
}

/// Both answers go on, though slowly, for longer than this test takes: the server closes one connection after a while.
#[test]
fn large_answers_to_slow_clients_delay_others_for_a_while_only() {
    let server = Process::start(build(), &[("TIERUP_UNSENT_LIMIT", "1000000")]);
    let both = [server.reads_slowly(&fill(500_000_000)), server.reads_slowly(&fill(500_000_000))];
    assert_eq!(server.answer(b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n"), "200: ok");
    // Calls wait for 5 s at most.
    assert_eq!(server.answer(DRAW), "200 image/png: hello");
    let reading = || both.iter().filter(|client| client.is_reading()).count();
    // The client of the closed connection can still read what the operating system has buffered.
    let start = Instant::now();
    while reading() == 2 && start.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(reading(), 1);
    let answer = server.answer(&fill(100_000));
    assert!(answer.starts_with("200 application/octet-stream: x"), "{}", &answer[..80]);
}

/// Together, the answers are far beyond the bound, again and again.
#[test]
fn large_answers_to_fast_clients_go_out_side_by_side() {
    let server = Process::start(build(), &[("TIERUP_UNSENT_LIMIT", "1000000")]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let answer = server.answer(&fill(5_000_000));
                    assert!(answer.starts_with("200 application/octet-stream: xxx"), "{}", &answer[..60]);
                }
            });
        }
    });
}

/// A panic waits a moment for its message to be written, but not if nobody reads standard error.
#[test]
fn unread_panic_messages_block_no_call() {
    let server = Process::start(build(), &[]);
    let request = format!("GET /fail?text={} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(5000));
    let start = Instant::now();
    for _ in 0..600 {
        assert_eq!(server.answer(request.as_bytes()), "500: internal error");
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn a_long_message_is_cut() {
    let server = Process::start(build(), &[]);
    let mut stderr = server.take_stderr();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    assert_eq!(server.answer(b"GET /visit?text=long HTTP/1.1\r\nhost: a\r\n\r\n"), "500: internal error");
    server.terminate();
    let text = reader.join().expect("it reads").expect("UTF-8");
    let start: String = text.chars().take(200).collect();
    assert!(text.contains(": xxx") || text.contains("\nxxx"), "{start}");
    let cut = text.lines().find_map(|line| line.strip_suffix(" more bytes]")?.rsplit_once("x [")).expect("it is cut");
    assert!(cut.1.parse::<usize>().is_ok_and(|bytes| bytes > 1 << 20), "{}", cut.1);
}

/// More connections than descriptors, and a log that nobody reads.
#[test]
fn a_server_without_descriptors_lives_on() {
    let server = Process::start_limited(build(), 64, &[("TIERUP_CONNECTIONS", "1000")]);
    let connections: Vec<_> = (0..80).map(|_| server.connect()).collect();
    thread::sleep(Duration::from_secs(3));
    drop(connections);
    assert_eq!(server.answer(LIVEZ), "200: ok");
    let (status, _) = server.terminate();
    assert!(status.success(), "{status}");
}

/// A pipe that nobody reads is full after 64 KiB.
#[test]
fn an_unread_access_log_blocks_no_request() {
    let server = Process::start(build(), &[("TIERUP_LOG", "access")]);
    let request = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(10_000));
    for _ in 0..300 {
        assert_eq!(server.answer(request.as_bytes()), "404: not found");
    }
    assert_eq!(server.answer(LIVEZ), "200: ok");
    let (status, stderr) = server.terminate();
    assert!(status.success(), "{status}");
    assert!(stderr.contains("{\"dropped_lines\":"), "{} bytes", stderr.len());
}

/// By default, the limit is that of the server which tier 4 replaces: here, Node's.
#[test]
fn a_head_that_is_too_large_is_refused() {
    let large = |bytes: usize| format!("GET /draw?text=hello HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(bytes));
    let server = Process::start(build(), &[]);
    assert_eq!(server.answer(large(16_000).as_bytes()), "200 image/png: hello");
    assert!(server.answer(large(17_000).as_bytes()).starts_with("431"));
    let server = Process::start(build(), &[("TIERUP_HEAD_LIMIT", "1000000")]);
    assert_eq!(server.answer(large(900_000).as_bytes()), "200 image/png: hello");
    let server = Process::start(build(), &[("TIERUP_HEAD_LIMIT", "1000")]);
    assert!(server.answer(large(2_000).as_bytes()).starts_with("431"));
}
