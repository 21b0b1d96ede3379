//! Functions that wait for an async runtime of their own.

use crate::process::{Process, build};

/// Enough calls for the server to find that they are short.
const MANY: usize = 200;

/// The answers to this many requests.
fn answers(server: &Process, request: &str) -> Vec<String> {
    let request = format!("GET {request} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    (0..MANY).map(|_| server.answer(request.as_bytes())).collect()
}

fn count(answers: &[String], expected: &str) -> usize {
    answers.iter().filter(|answer| *answer == expected).count()
}

/// Whether the function runs on the server's threads at least now and then. This depends on how fast this machine is.
fn runs_in_place(server: &Process) -> bool {
    count(&answers(server, "/visit?text=where"), "200: on a thread of the server") > 0
}

#[test]
fn a_route_declared_blocking_is_always_answered() {
    let server = Process::start(build(), &[]);
    let answers = answers(&server, "/wait?text=wait");
    assert_eq!(count(&answers, "200: waited"), MANY, "{answers:?}");
}

#[test]
fn a_function_that_blocks_is_moved_off_the_servers_threads() {
    let server = Process::start(build(), &[]);
    assert!(runs_in_place(&server));
    // Only the panic itself counts, not its text from a request: a client must not be able to slow down all others.
    let words = "/visit?text=Cannot+start+a+runtime+from+within+a+runtime";
    assert_eq!(count(&answers(&server, words), "500: internal error"), MANY);
    assert!(runs_in_place(&server));
    // The call that finds out is not made again, because it may have had effects already.
    let waits = answers(&server, "/visit?text=wait");
    assert_eq!(count(&waits, "500: internal error"), 1, "{waits:?}");
    assert_eq!(count(&waits, "200: waited"), MANY - 1, "{waits:?}");
    assert!(!runs_in_place(&server));
}
