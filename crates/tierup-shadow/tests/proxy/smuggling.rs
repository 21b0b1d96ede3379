//! Requests within requests: what control receives, byte for byte. One request must never become two.

use std::{
    thread,
    time::{Duration, Instant},
};

use tierup_shadow::Limits;

use crate::support::{Client, Recorder, limits, proxy_with};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// Text that must not become a separate request.
const INNER: &str = "GET /inner HTTP/1.1\r\nHost: a\r\n\r\n";

/// The statuses that a client gets, and what control receives, without the proxy's headers about the client.
fn passed(sent: &str) -> (Vec<u16>, String) {
    let control = Recorder::answering(OK);
    let limits = Limits { head: Duration::from_secs(1), progress: Duration::from_secs(1), ..limits() };
    let proxy = proxy_with(control.address, limits, None);
    let answer = Client::new(&proxy).send(sent).rest();
    let statuses = answer.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)?.parse().ok()).collect();
    // Dropping it closes its connections, after which everything has arrived.
    drop(proxy);
    let mut received = control.bytes().concat();
    for own in ["x-real-ip: 127.0.0.1\r\n", "x-forwarded-proto: http\r\n", "x-forwarded-host: a\r\n"] {
        received = received.replace(own, "");
    }
    (statuses, received.replace("x-forwarded-for: 127.0.0.1\r\n", ""))
}

#[test]
fn requests_that_are_passed_on_have_one_meaning() {
    let chunked = "Transfer-Encoding: chunked";
    let table: &[(&str, String, &[u16], String)] = &[
        (
            "CL.TE",
            format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 37\r\n{chunked}\r\n\r\n0\r\n\r\n{INNER}"),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_owned(),
        ),
        (
            "TE.CL",
            format!("POST / HTTP/1.1\r\nHost: a\r\n{chunked}\r\nContent-Length: 4\r\n\r\n20\r\n{INNER}\r\n0\r\n\r\n"),
            &[200],
            format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{INNER}\r\n0\r\n\r\n"),
        ),
        (
            "a header that some servers read as Transfer-Encoding",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer_Encoding: chunked\r\nContent-Length: 5\r\nConnection: close\r\n\r\n0\r\n\r\n".to_owned(),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n0\r\n\r\n".to_owned(),
        ),
        (
            "a header that some servers read as Content-Length",
            format!("POST / HTTP/1.1\r\nHost: a\r\nContent_Length: 32\r\nConnection: close\r\n\r\n{INNER}"),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "the same length twice",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab".to_owned(),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab".to_owned(),
        ),
        (
            "a length that Connection takes away",
            format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: close, Content-Length, Host\r\nContent-Length: 32\r\n\r\n{INNER}"),
            &[200],
            format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 32\r\n\r\n{INNER}"),
        ),
        (
            "a GET with a body",
            format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 32\r\n\r\n{INNER}"),
            &[200],
            format!("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 32\r\n\r\n{INNER}"),
        ),
        (
            "lines that end with a line feed",
            "GET /x HTTP/1.1\nHost: a\nConnection: close\n\n".to_owned(),
            &[200],
            "GET /x HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "chunks with extensions",
            format!(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{chunked}\r\n\r\n1;x=\"y\"\r\nz\r\n0;last\r\n\r\n"
            ),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n".to_owned(),
        ),
        (
            "trailers that frame",
            format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTrailer: Content-Length, Host, X\r\n{chunked}\r\n\r\n1\r\nz\r\n0\r\nContent-Length: 9\r\nHost: b\r\nX: y\r\n\r\n"),
            &[200],
            "POST / HTTP/1.1\r\nHost: a\r\nTrailer: Content-Length, Host, X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\nx: y\r\n\r\n".to_owned(),
        ),
        (
            "an absolute target",
            "GET http://a/x?y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(),
            &[200],
            "GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "a target that looks like a host",
            "GET //b/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(),
            &[200],
            "GET //b/x HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "HTTP/2 by upgrade",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n".to_owned(),
            &[200],
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "an upgrade that control does not make",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_owned(),
            &[200, 200],
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "requests at once",
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
            &[200, 200],
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        ),
        (
            "a refused one before another",
            format!("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n{INNER}"),
            &[400],
            String::new(),
        ),
    ];
    for (name, sent, statuses, received) in table {
        let (answered, passed_on) = passed(sent);
        assert_eq!((passed_on.as_str(), answered.as_slice()), (received.as_str(), *statuses), "{name}");
    }
}

#[test]
fn ambiguous_requests_reach_no_server() {
    let table = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-encoding: cow\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n , identity\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n",
        "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\r",
        "GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n",
        "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
    ];
    for sent in table {
        let (answered, passed_on) = passed(&format!("{sent}{INNER}"));
        assert_eq!(passed_on, "", "{sent:?}");
        assert!(answered.len() <= 1 && answered.iter().all(|status| *status >= 400), "{sent:?}: {answered:?}");
    }
}

/// Sends the bytes one by one until an answer or the connection's end. Returns how long that took, and the answer.
fn drip(limits: Limits, sent: &str, pause: Duration) -> (Duration, String, Vec<String>) {
    let control = Recorder::answering(OK);
    let proxy = proxy_with(control.address, limits, None);
    let mut client = Client::new(&proxy);
    let began = Instant::now();
    for byte in sent.as_bytes() {
        if client.has_answer() {
            break;
        }
        client.send([*byte]);
        thread::sleep(pause);
    }
    let answer = client.rest();
    (began.elapsed(), answer, control.asked().into_iter().map(|asked| asked.head).collect())
}

#[test]
fn a_head_that_arrives_byte_by_byte_has_no_more_time_than_another() {
    let limits = Limits { head: Duration::from_millis(500), ..limits() };
    let head = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "y".repeat(10_000));
    let (took, answer, asked) = drip(limits, &head, Duration::from_millis(20));
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert!(asked.is_empty() && (answer.is_empty() || answer.starts_with("HTTP/1.1 408 ")), "{answer}");
}

#[test]
fn a_body_may_arrive_byte_by_byte_while_it_goes_on() {
    let limits = Limits { progress: Duration::from_secs(30), ..limits() };
    let request = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20\r\n\r\n01234567890123456789";
    let (_, answer, asked) = drip(limits, request, Duration::from_millis(5));
    assert!(answer.ends_with("\r\n\r\nok") && asked.len() == 1, "{answer}");
}
