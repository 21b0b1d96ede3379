//! Kept connections that end with a request on them: a server that does not answer every request must not look clean,
//! and one that never keeps a connection must not look bad.

use crate::{
    benchmark::{load, loaded},
    server::{BODY, Server, ok},
};

/// As a worker that crashes now and then, and takes its connection along.
#[test]
fn a_request_that_was_lost_with_its_kept_connection_failed() {
    let server = Server::start(|conversation| {
        while let Some(asked) = conversation.next() {
            if asked.number % 10 == 9 || conversation.send(&ok(BODY)).is_none() {
                return;
            }
        }
    });
    let outcome = loaded(&load(server.address));
    assert!(outcome.answered > 0 && outcome.failures.closed > 0, "{:?}", outcome.failures);
    assert_eq!(outcome.failures.total(), outcome.failures.closed);
}

/// It reads a second request and closes: what a client sees where its request crosses with the end of the connection.
#[test]
fn a_server_that_never_keeps_a_connection_fails_nothing_and_what_was_sent_again_is_counted() {
    let server = Server::start(|conversation| {
        let _ = conversation.next().and_then(|_| conversation.send(&ok(BODY))).and_then(|()| conversation.next());
    });
    let outcome = loaded(&load(server.address));
    assert!(outcome.answered > 0 && outcome.resent > 0, "{} answers, {} again", outcome.answered, outcome.resent);
    assert_eq!(outcome.failures.total(), 0, "{:?}", outcome.failures);
}
