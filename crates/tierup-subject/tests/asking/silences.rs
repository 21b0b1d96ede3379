//! Why an answer did not come: as a variant, and in the words of a check and of a benchmark.

use std::{net::SocketAddr, thread, time::Duration};

use expect_test::{Expect, expect};
use tierup_parity::Seen;
use tierup_subject::{Ask, Asking, Behaviour, Framing, Prepared, Questions, ask, observe};

use crate::server::{answering, head, nobody, requests, server};

/// Checks the silence, and its words in a check and in a benchmark.
fn check_within(patience: Duration, address: SocketAddr, expected: Expect) {
    let requests = requests("GET /\n");
    let asking = Asking {
        address,
        authority: "localhost",
        width: 1,
        patience,
        downstream: None,
        settle: Duration::ZERO,
        interrupted: &|| false,
    };
    let one = Ask {
        request: &requests[0],
        framing: Framing::Length,
        behaviour: Behaviour::Answers,
        may_break_off: false,
        may_go_unanswered: false,
    };
    let seen = observe(&asking, &[one]).unwrap().remove(0).seen;
    let Seen::Nothing(silence) = seen else { panic!("{seen:?}") };
    let prepared = [Prepared::from_request(&requests[0], "localhost").unwrap()];
    let questions = Questions { address, requests: &prepared, width: 1, patience, interrupted: &|| false };
    let happened = ask(&questions).unwrap_err();
    expected.assert_eq(&format!("{silence:?}: {silence} / {happened}"));
}

fn check(address: SocketAddr, expected: Expect) {
    check_within(Duration::from_secs(20), address, expected);
}

#[test]
fn why_an_answer_did_not_come() {
    check(nobody(), expect!["Refused: it refuses connections / it refused the connection"]);
    check(
        answering(""),
        expect![
            "Closed: it closed the connection without an answer / it closed the connection before its answer was complete"
        ],
    );
    check(
        answering("HTTP/1.1 200 OK\r\nContent-Le"),
        expect![
            "Closed: it closed the connection without an answer / it closed the connection before its answer was complete"
        ],
    );
    check(
        answering("SSH-2.0-OpenSSH_9.2\r\n"),
        expect!["NotHttp: its answer is not HTTP / its answer is not HTTP, or too large"],
    );
    check(
        answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"),
        expect![
            "Incomplete: its answer is incomplete or too large / it closed the connection before its answer was complete"
        ],
    );
    check(
        answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n0\r\n\r\n"),
        expect!["Garbled: its answer is incomplete or too large / its answer is not HTTP, or too large"],
    );
}

#[test]
fn a_server_that_never_answers_times_out() {
    let silent = server(|stream| {
        head(stream);
        thread::sleep(Duration::from_secs(60));
    });
    check_within(
        Duration::from_millis(300),
        silent,
        expect!["TimedOut: it does not answer in time / it did not answer in time"],
    );
}
