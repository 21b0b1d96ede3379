//! Copies: what they hold, and what is counted if a request is not copied.

use std::{collections::BTreeMap, io::Write as _, sync::Arc, thread, time::Duration};

use tierup_rollout::evidence::Pair;
use tierup_shadow::{
    Limits, Show,
    parts::{Collector, Copied, Copies, NotCopied, Settings},
};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::support::{Client, Recorder, limits, proxy_of, proxy_with, settings};

fn copies(width: usize) -> (Copies, UnboundedReceiver<Copied>) {
    Copies::new(width, Arc::new(|head, _| (head.uri.path() != "/unsampled").then_some(Pair::Candidate)))
}

#[test]
fn a_copy_has_controls_request_and_answer() {
    let control = Recorder::answering(
        "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    );
    let (copies, mut copied) = copies(8);
    let proxy = proxy_with(control.address, limits(), Some(copies.clone()));
    let mut client = Client::new(&proxy);
    client.send("POST /order?id=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n\r\nhello");
    client.head();
    let copy = copied.blocking_recv().expect("a copy");
    assert_eq!(
        (copy.method.as_str(), copy.target.to_string().as_str(), &copy.body[..]),
        ("POST", "/order?id=1", &b"hello"[..])
    );
    assert_eq!((copy.answer.status.as_u16(), &copy.answer.body[..]), (201, &b"abc"[..]));
    assert_eq!(copy.answer.headers["content-type"], "text/plain");
    assert!(!copy.headers.contains_key("x-hop") && copy.headers["x-forwarded-for"] == "127.0.0.1");
    assert!(!copies.is_idle(), "it is under way until it is dropped");
    drop(copy);
    assert!(copies.is_idle());
}

#[test]
fn a_request_without_a_body_is_copied_as_well() {
    let control = Recorder::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let (copies, mut copied) = copies(8);
    let proxy = proxy_with(control.address, limits(), Some(copies));
    let mut client = Client::new(&proxy);
    client.send("GET /unsampled HTTP/1.1\r\nHost: a\r\n\r\n").head();
    client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n").head();
    let copy = copied.blocking_recv().expect("a copy");
    assert_eq!((copy.target.path(), copy.body.len(), copy.answer.body.len()), ("/x", 0, 0));
    assert!(copied.try_recv().is_err(), "what is not in the sample is not copied");
}

#[test]
fn bodies_with_trailers_are_whole() {
    let control = Recorder::answering(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n",
    );
    let (copies, mut copied) = copies(8);
    let proxy = proxy_with(control.address, limits(), Some(copies));
    let mut client = Client::new(&proxy);
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTrailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n";
    for _ in 0..2 {
        client.send(head).send("1\r\nx\r\n0\r\nX-End: 1\r\n\r\n").head();
        client.head();
        let copy = copied.blocking_recv().expect("a copy");
        assert_eq!((&copy.body[..], &copy.answer.body[..]), (&b"x"[..], &b"abc"[..]));
    }
    assert!(control.asked().iter().all(|asked| asked.connection == 0), "the connection to control is kept");
}

#[test]
fn requests_without_a_copy_are_counted_by_reason_and_passed_on() {
    let control = Recorder::start(|asked, stream| {
        let answer = match asked.head.split(' ').nth(1) {
            Some("/large") => format!("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n{}", "x".repeat(2000)),
            Some("/events") => {
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\nok".to_owned()
            }
            Some("/broken") => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab");
                return false;
            }
            _ => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
        };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let (copies, mut copied) = copies(1);
    let (collector, _notes) = Collector::showing(&[], Show::all());
    let limits = Limits { copy_bytes: 1000, ..limits() };
    let proxy = proxy_of(&Settings { limits, ..settings(control.address) }, Some(copies), &collector);
    let ask = |head: &str, body: &str| {
        let length = body.len();
        let request =
            format!("{head} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        Client::new(&proxy).send(request).rest()
    };
    assert!(ask("GET /large", "").ends_with(&"x".repeat(2000)));
    assert!(ask("POST /in", &"y".repeat(2000)).ends_with("ok"));
    assert_eq!(control.asked().last().map(|asked| asked.body.len()), Some(2000));
    assert!(ask("GET /events", "").ends_with("ok"));
    ask("GET /broken", "");
    assert!(ask("GET /good", "").ends_with("ok"));
    let held = copied.blocking_recv().expect("the good one");
    assert!(ask("GET /busy", "").ends_with("ok"));
    drop(held);

    let incomplete = NotCopied::Incomplete.reason();
    let mut dropped = BTreeMap::new();
    for _ in 0..1000 {
        dropped.clear();
        for (why, count) in collector.look().copies.into_iter().flat_map(|copies| copies.dropped) {
            *dropped.entry(why).or_insert(0) += count;
        }
        if dropped.contains_key(incomplete) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let expected = [(NotCopied::TooLarge, 2), (NotCopied::Stream, 1), (NotCopied::Incomplete, 1), (NotCopied::Busy, 1)];
    assert_eq!(dropped, expected.map(|(why, count)| (why.reason().to_owned(), count)).into());
    assert!(copied.try_recv().is_err(), "only the good one was copied");
}
