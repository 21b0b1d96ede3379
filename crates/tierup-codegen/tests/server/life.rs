//! How a server starts, bears trouble, and ends.

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use crate::process::{self, Process, build, build_ejected};

#[test]
fn a_panic_is_an_answer() {
    let server = Process::start(build(), &[]);
    expect![[r#"
        500: internal error
        200: ok"#]]
    .assert_eq(
        &server.answer(b"GET /fail?text=this HTTP/1.1\r\nhost: a\r\n\r\nGET /livez HTTP/1.1\r\nhost: a\r\n\r\n"),
    );
    let (_, stderr) = server.terminate();
    assert!(stderr.contains("cannot bear this") && stderr.contains("lib.rs"), "{stderr}");
}

#[test]
fn the_server_does_not_wait_for_slow_clients() {
    let server = Process::start(build(), &[("TIERUP_BODY_TIMEOUT", "1"), ("TIERUP_IDLE_TIMEOUT", "2")]);
    let start = Instant::now();
    thread::scope(|scope| {
        let slow = |request: &'static [u8], expected: Expect| {
            let server = &server;
            scope.spawn(move || expected.assert_eq(&server.answer(request)));
        };
        slow(
            b"PUT /texts HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc",
            expect!["408: the body took too long to arrive"],
        );
        slow(b"GET /livez HTTP/1.1\r\nhost: a\r\nx: y", expect![""]);
        slow(b"", expect![""]);
    });
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_server_with_a_wrong_answer_is_not_ready() {
    let server = Process::start(build(), &[("SAMPLE_BROKEN", "1")]);
    expect!["503: not ready: the golden call's answer is wrong: its SHA-256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"].assert_eq(&server.answer(b"GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n"));
    expect!["200: ok"].assert_eq(&server.answer(b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n"));
    let (said, code) = process::run(build(), &["--ready", "--port", &server.port.to_string()], &[]);
    expect!["1: error: /readyz: HTTP/1.1 503"].assert_eq(&format!("{code}: {said}"));
}

/// The worst case: the only worker is busy, and the function was fast until then.
#[test]
fn a_long_call_does_not_delay_others() {
    let server = Process::start(build(), &[("TIERUP_WORKERS", "1")]);
    for _ in 0..100 {
        server.answer(b"GET /slow?milliseconds=0 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    }
    thread::scope(|scope| {
        let long = scope
            .spawn(|| server.answer(b"GET /slow?milliseconds=3000 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"));
        thread::sleep(Duration::from_millis(200));
        for _ in 0..3 {
            server.answer(b"GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        }
        assert!(!long.is_finished());
        assert!(long.join().expect("it is answered").ends_with(": 3000"));
    });
}

#[test]
fn the_end_is_graceful() {
    let server = Process::start(build(), &[]);
    let mut unused = server.connect();
    let mut idle = server.connect();
    idle.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\nhost: x\r\n\r\n").expect("sent");
    let mut byte = [0];
    idle.read_exact(&mut byte).expect("answered");
    thread::scope(|scope| {
        let busy = scope.spawn(|| server.answer(b"GET /slow?milliseconds=3000 HTTP/1.1\r\nhost: a\r\n\r\n"));
        thread::sleep(Duration::from_millis(500));
        server.signal();
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).expect("closed");
        unused.read_to_end(&mut rest).expect("closed");
        assert!(!busy.is_finished());
        assert!(busy.join().expect("it is answered").ends_with(": 3000"));
    });
    let (status, _) = server.terminate();
    assert!(status.success(), "{status}");
}

#[test]
fn settings() {
    let server = Process::start(build(), &[]);
    let run = |arguments: &[&str], environment: &[(&str, &str)], expected: Expect| {
        let (output, code) = process::run(build(), arguments, environment);
        expected.assert_eq(&format!("{code}: {}", output.replace(&server.port.to_string(), "PORT")));
    };
    run(
        &["--port", &server.port.to_string()],
        &[],
        expect![
            "1: error: cannot listen on 127.0.0.1, port PORT: Address already in use (os error 98) | hint: something else listens there; stop it, or choose another with --port or PORT"
        ],
    );
    run(
        &["--port=x"],
        &[],
        expect!["2: error: --port must be a port from 0 to 65535, not `x` | hint: `--help` lists what can be set"],
    );
    run(&["--port"], &[], expect!["2: error: --port needs a value | hint: `--help` lists what can be set"]);
    run(&["--prot", "1"], &[], expect!["2: error: there is no option `--prot` | hint: `--help` lists what can be set"]);
    run(
        &[],
        &[("PORT", "70000")],
        expect!["2: error: PORT must be a port from 0 to 65535, not `70000` | hint: `--help` lists what can be set"],
    );
    run(
        &[],
        &[("TIERUP_WORKERS", "0")],
        expect![
            "2: error: TIERUP_WORKERS must be a number of threads, at least 1, not `0` | hint: `--help` lists what can be set"
        ],
    );
    run(
        &[],
        &[("TIERUP_LOG", "all")],
        expect!["2: error: TIERUP_LOG must be `access` or empty, not `all` | hint: `--help` lists what can be set"],
    );
    run(
        &["--host", "192.0.2.1"],
        &[],
        expect![
            "1: error: cannot listen on 192.0.2.1, port 8080: Cannot assign requested address (os error 99) | hint: choose another address with --host or HOST"
        ],
    );
    run(&["--ready", "--port", &server.port.to_string()], &[], expect!["0: "]);
    run(&["--version"], &[], expect!["0: sample-server 0.1.0"]);
}

#[test]
fn the_access_log_is_json() {
    let server = Process::start(build(), &[("TIERUP_LOG", "access")]);
    server.answer(
        b"GET /draw\"?text=secret HTTP/1.1\r\nhost: a\r\n\r\nGET /draw?text=secret HTTP/1.1\r\nhost: a\r\n\r\n",
    );
    let (_, stderr) = server.terminate();
    let lines = stderr.lines().map(|line| {
        let (head, time) = line.split_once("\"time\":").expect("a time");
        let (_, rest) = time.split_once(',').expect("more");
        let (rest, _) = rest.split_once("\"microseconds\":").expect("microseconds");
        format!("{head}{rest}\n")
    });
    expect![[r#"
        {"method":"GET","path":"/draw\"","status":404,"bytes":9,
        {"method":"GET","path":"/draw","status":200,"bytes":6,
        {"method":"GET","path":"/end","status":404,"bytes":9,
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// An ejected server is the same server, without any code of tierup's.
#[test]
fn an_ejected_server_answers_alike() {
    let (generated, ejected) = (Process::start(build(), &[]), Process::start(build_ejected(), &[]));
    for request in [
        "GET /draw?text=hello HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n",
        "POST /total HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 6\r\n\r\n[{\"x\":",
    ] {
        assert_eq!(generated.answer(request.as_bytes()), ejected.answer(request.as_bytes()));
    }
}
