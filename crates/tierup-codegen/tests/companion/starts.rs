//! Starts of workers: which clients learn that one has failed, and when the next begins.

use crate::process::{Companion, eventually, hash};

/// Fails a moment after its start.
const FAILS_LATE: &str = "sleep 0.3; exit 2";

fn is_refused(greeting: &str) -> bool {
    greeting.ends_with("worker ended with exit code 2: standard error has its last words")
}

#[test]
fn a_failed_start_is_reported_to_its_client_and_the_next_begins_after_a_pause() {
    let companion = Companion::start("failed", &["exit 2", ":"], &[]);
    let greeting = companion.connect().greeting();
    assert!(is_refused(&greeting), "{greeting}");
    assert_eq!(companion.connect().greeting(), hash());
    assert_eq!(companion.starts(), 2);
}

#[test]
fn waiting_clients_learn_of_a_failed_start_and_later_ones_of_the_next() {
    let companion = Companion::start("told", &["exit 2", FAILS_LATE], &[]);
    assert!(is_refused(&companion.connect().greeting()));
    // These connect during the pause: one start is tried for all of them.
    let mut waiting: Vec<_> = (0..5).map(|_| companion.connect()).collect();
    eventually("a start", || companion.starts() == 2);
    let mut later = companion.connect();
    for client in &mut waiting {
        assert!(is_refused(&client.greeting()));
    }
    assert_eq!(companion.starts(), 2);
    assert!(is_refused(&later.greeting()));
    assert_eq!(companion.starts(), 3);
}

#[test]
fn starts_go_on_side_by_side_until_one_fails() {
    let companion = Companion::start("beside", &["while [ ! -e \"$0-4\" ]; do sleep 0.01; done"], &[]);
    let mut clients: Vec<_> = (0..4).map(|_| companion.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.greeting(), hash());
    }
}

#[test]
fn a_hanging_start_is_ended_and_reported() {
    let companion = Companion::start("hangs", &["exec sleep 3600", ":"], &[("TIERUP_START_TIMEOUT", "0.5")]);
    let greeting = companion.connect().greeting();
    let end = "worker did not start within 0.5 s (TIERUP_START_TIMEOUT): its process was ended";
    assert!(greeting.ends_with(end), "{greeting}");
    assert_eq!(companion.children(), [""; 0]);
    assert_eq!(companion.connect().greeting(), hash());
}

/// Even if every start hangs, no client waits for ever.
#[test]
fn a_client_waits_for_the_start_under_way_and_for_one_more_at_most() {
    let hang = "exec sleep 3600";
    let companion = Companion::start("turns", &["exit 2", hang, hang], &[("TIERUP_START_TIMEOUT", "0.5")]);
    assert!(is_refused(&companion.connect().greeting()));
    let mut first = companion.connect();
    eventually("a start", || companion.starts() == 2);
    let mut second = companion.connect();
    for client in [&mut first, &mut second] {
        let greeting = client.greeting();
        assert!(greeting.contains("TIERUP_START_TIMEOUT"), "{greeting}");
    }
    assert_eq!(companion.starts(), 3);
}

#[test]
fn a_start_goes_on_for_the_next_client_if_its_own_leaves() {
    let companion = Companion::start("gone", &["while [ ! -e \"$0-go\" ]; do sleep 0.01; done", "exit 2"], &[]);
    let client = companion.connect();
    eventually("a start", || companion.starts() == 1);
    drop(client);
    companion.make("worker-go");
    // The worker may be ready before the client connects, or after.
    assert_eq!(companion.connect().greeting(), hash());
    assert_eq!(companion.starts(), 1);
}

#[test]
fn a_failed_start_is_not_reported_while_a_first_start_is_under_way() {
    let orders =
        ["while [ ! -e \"$0-2\" ]; do sleep 0.01; done; exit 2", "while [ ! -e \"$0-go\" ]; do sleep 0.01; done", ":"];
    let companion = Companion::start("first", &orders, &[]);
    let mut clients = [companion.connect(), companion.connect()];
    eventually("both starts", || companion.starts() == 2);
    eventually("the end of one", || companion.children().len() == 1);
    companion.make("worker-go");
    for client in &mut clients {
        assert_eq!(client.greeting(), hash());
    }
}

#[test]
fn a_program_that_cannot_run_is_reported() {
    let companion = Companion::start("missing", &[":"], &[]);
    let worker = companion.socket.ancestors().nth(2).expect("a folder").join("worker");
    std::fs::remove_file(worker).expect("it was there");
    let greeting = companion.connect().greeting();
    assert!(greeting.contains("worker could not be started: "), "{greeting}");
}
