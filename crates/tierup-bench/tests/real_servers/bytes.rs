//! Servers that speak invalid or unusual HTTP: what counts as an answer or as which failure, and that a load ends.

use std::{thread, time::Duration};

use expect_test::{Expect, expect};
use tierup_bench::load::Load;
use tierup_subject::{Prepared, Questions, ask};

use crate::{
    benchmark::{TIMEOUT, kinds, load, loaded},
    server::{BODY, Conversation, Server, ok, with},
};

/// Loads a server in a closed loop, then sends it one request as the check does.
fn check(converse: impl Fn(&mut Conversation) + Send + Sync + 'static, expected: Expect) {
    check_within(TIMEOUT, converse, expected);
}

fn check_within(timeout: Duration, converse: impl Fn(&mut Conversation) + Send + Sync + 'static, expected: Expect) {
    let server = Server::start(converse);
    let outcome = loaded(&Load { timeout, ..load(server.address) });
    let request = Prepared::new("GET", "/", &[], b"", &server.address.to_string()).unwrap();
    let questions = Questions {
        address: server.address,
        requests: &[request],
        width: 1,
        patience: timeout,
        interrupted: &|| false,
    };
    let once = match ask(&questions) {
        Ok(answers) => format!("{} with {} bytes", answers[0].status, answers[0].body.len()),
        Err(why) => why.to_string(),
    };
    expected.assert_eq(&format!("{}\nasked once: {once}", kinds(outcome.answered, &outcome.failures)));
}

/// Answers every request with these bytes.
fn always(bytes: impl Into<Vec<u8>>) -> impl Fn(&mut Conversation) {
    let bytes = bytes.into();
    move |conversation| while conversation.next().and_then(|_| conversation.send(&bytes)).is_some() {}
}

/// Answers one request with these bytes, then closes the connection.
fn once(bytes: impl Into<Vec<u8>>) -> impl Fn(&mut Conversation) {
    let bytes = bytes.into();
    move |conversation| {
        let _ = conversation.next().and_then(|_| conversation.send(&bytes));
    }
}

#[test]
fn a_good_server() {
    check(
        always(ok(BODY)),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
}

#[test]
fn a_server_that_accepts_and_never_answers() {
    check(
        |conversation| while conversation.next().is_some() {},
        expect![[r#"
        no right answer; timeouts
        asked once: it did not answer in time"#]],
    );
}

#[test]
fn a_connection_closed_after_every_answer_is_not_a_failure() {
    check(
        once(ok(BODY)),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        once(with("200 OK", &["Connection: close"], BODY)),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        once(format!("HTTP/1.0 200 OK\r\n\r\n{BODY}")),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        once(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{BODY}")),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
}

#[test]
fn a_connection_closed_within_an_answer_is_a_failure() {
    check(
        once("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"),
        expect![[r#"
        no right answer; connections closed before the answer
        asked once: it closed the connection before its answer was complete"#]],
    );
    check(
        once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
        expect![[r#"
        no right answer; connections closed before the answer
        asked once: it closed the connection before its answer was complete"#]],
    );
    check(
        once("HTTP/1.1 200 OK\r\nContent-Le"),
        expect![[r#"
        no right answer; connections closed before the answer
        asked once: it closed the connection before its answer was complete"#]],
    );
    check(
        once(""),
        expect![[r#"
        no right answer; connections closed before the answer
        asked once: it closed the connection before its answer was complete"#]],
    );
}

#[test]
fn a_reset_connection() {
    check(
        |conversation| {
            conversation.next();
            rustix::net::sockopt::set_socket_linger(&conversation.stream, Some(Duration::ZERO)).unwrap();
        },
        expect![[r#"
            no right answer; connections closed before the answer
            asked once: it closed the connection before its answer was complete"#]],
    );
}

#[test]
fn an_unexpected_status_or_body() {
    check(
        always(with("500 Internal Server Error", &[], "oh")),
        expect![[r#"
        no right answer; answers with a wrong status
        asked once: 500 with 2 bytes"#]],
    );
    check(
        always(with("301 Moved Permanently", &["Location: /elsewhere"], BODY)),
        expect![[r#"
        no right answer; answers with a wrong status
        asked once: 301 with 5 bytes"#]],
    );
    check(
        always(ok("hallo")),
        expect![[r#"
        no right answer; answers with a wrong body
        asked once: 200 with 5 bytes"#]],
    );
    check(
        always(ok("hello!")),
        expect![[r#"
        no right answer; answers with a wrong body
        asked once: 200 with 6 bytes"#]],
    );
    check(
        always(ok("hell")),
        expect![[r#"
        no right answer; answers with a wrong body
        asked once: 200 with 4 bytes"#]],
    );
    check(
        always("HTTP/1.1 204 No Content\r\n\r\n"),
        expect![[r#"
        no right answer; answers with a wrong status
        asked once: 204 with 0 bytes"#]],
    );
}

#[test]
fn no_http_at_all() {
    check(
        always("\u{0}\u{1}\u{2}garbage\r\n\r\n"),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
    check(
        always("SSH-2.0-OpenSSH_9.2\r\n"),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
    check(
        always("HTTP/2.0 200 OK\r\n\r\n"),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
    check(
        always("HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\nhello"),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
}

#[test]
fn a_length_that_is_not_the_body_s() {
    // The length is too large: the rest never arrives.
    check(
        always("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"),
        expect![[r#"
        no right answer; timeouts
        asked once: it did not answer in time"#]],
    );
    // The length is too small: the remaining bytes do not belong to an answer, and the connection is not used again.
    check(
        always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello there"),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        always("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello"),
        expect![[r#"
        no right answer; answers with a wrong body
        asked once: 200 with 2 bytes"#]],
    );
}

#[test]
fn chunks() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
    check(
        always(format!("{head}\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        always(format!("{head}Trailer: Digest\r\n\r\n5;a=b\r\nhello\r\n0\r\nDigest: x\r\n\r\n")),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        always(format!("{head}\r\nfive\r\nhello\r\n0\r\n\r\n")),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
}

#[test]
fn interim_answers_are_skipped() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    check(
        always([interim.as_bytes(), &ok(BODY)].concat()),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    check(
        always(interim),
        expect![[r#"
        no right answer; timeouts
        asked once: it did not answer in time"#]],
    );
}

#[test]
fn large_heads() {
    let long = format!("X-Long: {}", "a".repeat(100_000));
    check(
        always(with("200 OK", &[&long], BODY)),
        expect![[r#"
        right answers; no failure
        asked once: 200 with 5 bytes"#]],
    );
    let many = vec!["X-Many: a"; 101];
    check(
        always(with("200 OK", &many, BODY)),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
    let endless = format!("X-Endless: {}", "a".repeat(1 << 20));
    check(
        always(with("200 OK", &[&endless], BODY)),
        expect![[r#"
        no right answer; answers that are not HTTP or too large
        asked once: its answer is not HTTP, or too large"#]],
    );
}

#[test]
fn a_body_without_end() {
    check_within(
        // Long enough to reach the limit on any machine.
        Duration::from_secs(60),
        |conversation| {
            let chunk = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
            let sent = conversation
                .next()
                .and_then(|_| conversation.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
            while sent.is_some() && conversation.send(chunk.as_bytes()).is_some() {}
        },
        expect![[r#"
            no right answer; answers that are not HTTP or too large
            asked once: its answer is not HTTP, or too large"#]],
    );
}

#[test]
fn a_byte_now_and_then() {
    check(
        |conversation| {
            conversation.next();
            for byte in ok(BODY) {
                if conversation.send(&[byte]).is_none() {
                    return;
                }
                thread::sleep(Duration::from_millis(50));
            }
        },
        expect![[r#"
            no right answer; timeouts
            asked once: it did not answer in time"#]],
    );
}
