//! How a body is framed.

use std::{
    io::{Read as _, Write as _},
    net::SocketAddr,
    sync::mpsc,
    time::Duration,
};

use tierup_parity::Seen;
use tierup_requests::Request;
use tierup_subject::{Ask, Asking, Behaviour, Framing, observe};

use crate::server::{head, requests, server};

fn asking(address: SocketAddr) -> Asking<'static> {
    Asking {
        address,
        authority: "example.org:1",
        width: 1,
        patience: Duration::from_secs(20),
        downstream: None,
        settle: Duration::ZERO,
        interrupted: &|| false,
    }
}

fn ask(request: &Request, framing: Framing) -> Ask<'_> {
    Ask { request, framing, behaviour: Behaviour::Answers, may_break_off: false, may_go_unanswered: false }
}

/// What arrives of a request: the lines that say how long its body is, and the body.
fn check(text: &str, framing: Framing, expected: &str) {
    let (tell, told) = mpsc::channel();
    let address = server(move |stream| {
        let head = head(stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 2\r\n\r\nok")
            .unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut body = String::new();
        stream.read_to_string(&mut body).unwrap();
        let lengths = head.lines().filter(|line| line.starts_with("content-length") || line.starts_with("transfer"));
        tell.send(format!("{} | {}", lengths.collect::<Vec<_>>().join(", "), body.replace("\r\n", "/"))).unwrap();
    });
    let requests = requests(text);
    let asking = asking(address);
    let seen = observe(&asking, &[ask(&requests[0], framing)]).unwrap().remove(0).seen;
    let Seen::Answer(answer) = seen else { panic!("{seen:?}") };
    assert_eq!((answer.status, &answer.body[..]), (200, &b"ok"[..]));
    let cookies: Vec<_> = answer.headers.iter().filter(|(name, _)| name == "set-cookie").collect();
    assert_eq!(cookies.len(), 2, "{:?}", answer.headers);
    assert_eq!(answer.url, "http://example.org:1/a");
    assert_eq!(told.recv_timeout(Duration::from_secs(20)).unwrap(), expected);
}

#[test]
fn a_length_is_sent_if_the_method_has_a_body() {
    check("GET /a\n", Framing::Length, " | ");
    check("DELETE /a\n", Framing::Length, " | ");
    for method in ["POST", "PUT", "PATCH"] {
        check(&format!("{method} /a\n"), Framing::Length, "content-length: 0 | ");
    }
    check("POST /a\n\nhello\n", Framing::Length, "content-length: 5 | hello");
}

#[test]
fn a_chunked_body_has_two_chunks_if_possible() {
    check("POST /a\n\nhello\n", Framing::Chunked, "transfer-encoding: chunked | 2/he/3/llo/0//");
    check("POST /a\n\nh\n", Framing::Chunked, "transfer-encoding: chunked | 1/h/0//");
}

#[test]
fn a_compressed_body_is_seen_decompressed() {
    // A gzip file whose text is stored uncompressed.
    let body = b"\x1f\x8b\x08\0\0\0\0\0\x04\x03\x01\x0e\0\xf1\xffok ok ok ok ok\x3f\x55\xf8\xe2\x0e\0\0\0";
    let address = server(|stream| {
        head(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 37\r\n\r\n").unwrap();
        stream.write_all(body).unwrap();
    });
    let requests = requests("GET /a\n");
    let asking = asking(address);
    let seen = observe(&asking, &[ask(&requests[0], Framing::Length)]).unwrap().remove(0).seen;
    let Seen::Answer(answer) = seen else { panic!("{seen:?}") };
    assert_eq!(String::from_utf8_lossy(&answer.body), "ok ok ok ok ok");
}
