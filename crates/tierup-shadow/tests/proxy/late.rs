//! Bytes that a server sends after an answer without a body: they must not become the answer to another request.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::mpsc,
    thread,
    time::Duration,
};

use tierup_shadow::{Limits, parts::Proxy};

use crate::support::{Client, Recorder, limits, proxy_with};

/// Bytes that look like an answer.
const LATE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother";
const MINE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine";
const WITH_LENGTH: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

fn watching(control: &Recorder, quiet: Duration) -> Proxy {
    proxy_with(control.address, Limits { quiet, ..limits() }, None)
}

fn send_late(stream: &mut TcpStream, head: &str) -> bool {
    let is_sent = stream.write_all(head.as_bytes()).is_ok();
    thread::sleep(Duration::from_millis(1));
    is_sent && stream.write_all(LATE.as_bytes()).is_ok()
}

#[test]
fn late_bytes_after_an_answer_without_a_body_reach_no_other_client() {
    let no_content = "HTTP/1.1 204 No Content\r\n\r\n";
    let not_modified = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n";
    for (method, head) in [("HEAD", WITH_LENGTH), ("GET", no_content), ("GET", not_modified)] {
        let control = Recorder::start(move |asked, stream| match asked.head.starts_with("GET /mine ") {
            true => stream.write_all(MINE.as_bytes()).is_ok(),
            false => send_late(stream, head),
        });
        let proxy = watching(&control, Duration::from_secs(3600));
        for _ in 0..30 {
            let mut first = Client::new(&proxy);
            first.send(format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n")).head();
            let mut second = Client::new(&proxy);
            second.send("GET /mine HTTP/1.1\r\nHost: a\r\n\r\n").head();
            assert_eq!(second.bytes(4), "mine", "{method} {head}");
        }
    }
}

#[test]
fn late_bytes_close_their_connection() {
    let (tell, told) = mpsc::channel();
    let control = Recorder::start(move |_, stream| {
        let is_sent = send_late(stream, WITH_LENGTH);
        // The connection ends, or is reset.
        let has_ended = stream.read(&mut [0]).map_or(true, |length| length == 0);
        tell.send(is_sent && has_ended).is_ok() && !has_ended
    });
    let proxy = watching(&control, Duration::from_secs(3600));
    Client::new(&proxy).send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").head();
    assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(true));
}

fn connections(control: &Recorder) -> usize {
    control.asked().iter().map(|asked| asked.connection).collect::<BTreeSet<_>>().len()
}

#[test]
fn a_connection_that_was_quiet_is_used_again() {
    let control = Recorder::answering(WITH_LENGTH);
    let proxy = watching(&control, Duration::from_millis(1));
    let mut client = Client::new(&proxy);
    let is_used_again = (0..1000).any(|_| {
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").head();
        thread::sleep(Duration::from_millis(2));
        connections(&control) < control.asked().len()
    });
    assert!(is_used_again);
}

#[test]
fn many_answers_without_a_body_need_few_connections() {
    let control = Recorder::answering(WITH_LENGTH);
    let proxy = watching(&control, Duration::from_secs(3600));
    let mut client = Client::new(&proxy);
    for _ in 0..300 {
        assert!(client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").head().starts_with("HTTP/1.1 200 OK\r\n"));
    }
    // There is one more for each connection that was not yet ready again when the next request came.
    assert!((60..100).contains(&connections(&control)), "{}", connections(&control));
}
