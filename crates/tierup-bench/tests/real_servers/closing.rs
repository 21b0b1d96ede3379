//! Kept connections that end with a request on them: a server that loses requests must not look clean, and a server
//! that never keeps a connection must not look bad.

use crate::{
    benchmark::{load, loaded},
    server::{BODY, Server, ok},
};

/// The server behaves like a worker that sometimes crashes with its connection.
#[test]
fn a_request_that_is_lost_with_its_kept_connection_is_a_failure() {
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

/// The server reads a second request and closes, as a client sees it if its request crosses the end of the connection.
#[test]
fn a_server_that_never_keeps_a_connection_has_no_failures_and_resent_requests_are_counted() {
    let server = Server::start(|conversation| {
        let _ = conversation.next().and_then(|_| conversation.send(&ok(BODY))).and_then(|()| conversation.next());
    });
    let outcome = loaded(&load(server.address));
    assert!(outcome.answered > 0 && outcome.resent > 0, "{} answers, {} again", outcome.answered, outcome.resent);
    assert_eq!(outcome.failures.total(), 0, "{:?}", outcome.failures);
}
