//! Requests that two readers could understand differently: they are refused, or passed on in a form with one meaning.

use std::time::Duration;

use crate::support::{Client, Recorder, limits, proxy, proxy_with, status};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The statuses that the client gets, and the request lines that control gets.
fn outcome(bytes: &[u8]) -> (Vec<u16>, Vec<String>) {
    let control = Recorder::answering(OK);
    let limits = tierup_shadow::Limits { head: Duration::from_secs(1), progress: Duration::from_secs(1), ..limits() };
    let proxy = proxy_with(control.address, limits, None);
    let answer = Client::new(&proxy).send(bytes).rest();
    let statuses = answer.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)?.parse().ok()).collect();
    let asked = control.asked();
    assert!(
        asked
            .iter()
            .all(|asked| !(asked.value("content-length").is_some() && asked.value("transfer-encoding").is_some()))
    );
    (statuses, asked.iter().filter_map(|asked| asked.head.lines().next().map(str::to_owned)).collect())
}

fn refused(bytes: &str) {
    let (statuses, asked) = outcome(bytes.as_bytes());
    assert!(asked.is_empty(), "control was asked {asked:?} for {bytes:?}");
    assert!(statuses.iter().all(|status| *status >= 400) && statuses.len() <= 1, "{statuses:?} for {bytes:?}");
}

#[test]
fn heads_with_two_readings_are_refused() {
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    for wrong in [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: +5",
        "Content-Length: 0x5",
        "Content-Length: -1",
        "Content-Length: 5 5",
        "Content-Length: 99999999999999999999999",
        "Content-Length : 5",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding:\u{b}chunked",
        "X: a\r\n obs-fold: b",
        "X: a\r\n\tobs-fold",
        " X: a",
        "X\0: a",
        "X: a\0b",
        "X y: a",
        ": a",
        "no colon",
        "X: a\rb",
        "Host: b",
    ] {
        refused(&format!("POST / HTTP/1.1\r\nHost: a\r\n{wrong}\r\n\r\n{smuggled}"));
    }
    refused(&format!("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"));
    refused("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n");
    refused("GET / HTTP/1.1\r\n\r\n");
    refused("GET /\r\n\r\n");
    refused("GET / HTTP/1.1 x\r\nHost: a\r\n\r\n");
    refused("GET / HTTP/3.0\r\nHost: a\r\n\r\n");
    refused("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n");
    refused("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n");
    refused(&format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "y".repeat(1 << 20)));
    refused(&format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "y".repeat(1 << 20)));
    refused(&format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(100_000)));
}

#[test]
fn a_length_and_chunks_are_one_request_and_the_connection_ends() {
    for both in ["Content-Length: 6\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 6"] {
        let bytes =
            format!("POST / HTTP/1.1\r\nHost: a\r\n{both}\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        let (statuses, asked) = outcome(bytes.as_bytes());
        assert_eq!((statuses.as_slice(), asked.len()), (&[200][..], 1), "{both}: {asked:?}");
    }
}

#[test]
fn invalid_chunks_end_the_request() {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    for wrong in [
        "z\r\n", "-1\r\nx\r\n", "0x1\r\nx\r\n", "1\nx\n0\n\n", "1\r\nxy0\r\n\r\n", "1;\nx\r\n0\r\n\r\n",
        "fffffffffffffffff\r\n", " 1\r\nx\r\n0\r\n\r\n", "1;x=\"\r\n\";y\r\nz\r\n0\r\n\r\n",
    ] {
        let (statuses, asked) = outcome(format!("{head}{wrong}{smuggled}").as_bytes());
        assert!(asked.is_empty(), "{wrong:?} reached control as whole: {asked:?}");
        // The client is to blame, not control.
        assert!(statuses.iter().all(|status| (400..500).contains(status)), "{wrong:?}: {statuses:?}");
    }
}

#[test]
fn bare_line_feeds_reach_control_as_crlf() {
    let (statuses, asked) = outcome(b"GET /x HTTP/1.1\nHost: a\nConnection: close\n\n");
    assert_eq!((statuses.as_slice(), asked), (&[200][..], vec!["GET /x HTTP/1.1".to_owned()]));
}

#[test]
fn requests_that_come_at_once_are_answered_in_order() {
    let (statuses, asked) = outcome(
        b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(statuses, [200, 200, 200]);
    assert_eq!(asked, ["GET /1 HTTP/1.1", "POST /2 HTTP/1.1", "GET /3 HTTP/1.1"]);
}

#[test]
fn the_proxy_does_not_wait_for_a_head_without_an_end() {
    let (statuses, asked) = outcome(b"GET / HTTP/1.1\r\nHost: a\r\nX: ");
    assert!(asked.is_empty() && statuses.iter().all(|status| *status == 408), "{statuses:?}");
}

#[test]
fn other_protocols_learn_what_to_do() {
    let control = Recorder::answering(OK);
    let proxy = proxy(control.address);
    let http2 = Client::new(&proxy).send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").rest();
    // There are two frames, each with the length of what follows its head of nine octets.
    let (settings, go_away) = http2.as_bytes().split_at(9);
    assert_eq!(settings, b"\0\0\0\x04\0\0\0\0\0");
    assert_eq!(&go_away[..4], [0, 0, (go_away.len() - 9) as u8, 7]);
    assert!(http2.ends_with("HTTP/2 is not supported; put nginx or Envoy in front"), "{http2:?}");
    let tls = Client::new(&proxy).send(b"\x16\x03\x01\x00\x05hello").rest();
    assert!(tls.starts_with('\u{15}'), "{tls:?}");
    let grpc = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(status(&Client::new(&proxy).send(grpc).rest()), Some(505));
    assert!(control.asked().is_empty());
}
