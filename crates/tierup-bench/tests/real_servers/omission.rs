//! Coordinated omission: a server that stalls now and then. The open loop shows it, the closed loop hides it.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use tierup_bench::load::{Load, Pace};

use crate::{
    benchmark::{load, loaded},
    server::{BODY, Server, ok},
};

const STALL: Duration = Duration::from_millis(200);
const EVERY: Duration = Duration::from_secs(2);

/// Stands still for a while every two seconds, as a collection of garbage does: nobody is answered meanwhile.
fn stalling() -> Server {
    let stalled = Mutex::new(Instant::now());
    Server::answering(move |_| {
        let mut last = stalled.lock().unwrap();
        if last.elapsed() >= EVERY {
            thread::sleep(STALL);
            *last = Instant::now();
        }
        ok(BODY)
    })
}

fn p99(load: &Load) -> f64 {
    let outcome = loaded(load);
    assert_eq!(outcome.failures.total(), 0);
    outcome.latencies.quantile(0.99).unwrap()
}

#[test]
fn a_stall_shows_in_the_open_loop() {
    let server = stalling();
    let length = EVERY * 3;
    // A tenth of the time is stalled, so the slowest hundredth waited for nearly all of a stall. However busy this
    // machine is, that only makes it longer.
    let open = Load { length, pace: Pace::Open { rate: 200.0 }, ..load(server.address) };
    let slow = p99(&open);
    assert!(slow >= 0.1, "{slow}");
}

#[test]
fn it_hides_in_a_closed_loop_of_one_connection() {
    let server = stalling();
    let closed = Load { length: EVERY * 3, connections: 1, workers: 1, ..load(server.address) };
    let outcome = loaded(&closed);
    let slow = outcome.latencies.maximum().unwrap();
    assert!(slow >= STALL.as_secs_f64(), "it stalled: {slow}");
    // Of thousands of answers three were slow: far fewer than one in a hundred.
    assert!(outcome.latencies.count() > 400, "{}", outcome.latencies.count());
    let most = outcome.latencies.quantile(0.99).unwrap();
    assert!(most < STALL.as_secs_f64(), "no trace of it: {most}");
}

/// As on a machine that is so busy that no connection gets to run before the load's end.
#[test]
fn a_load_that_ends_before_its_connections_begin_still_asks_once_each() {
    let server = Server::answering(|_| ok(BODY));
    let outcome = loaded(&Load { length: Duration::ZERO, ..load(server.address) });
    assert_eq!((outcome.answered, outcome.failures.total()), (4, 0));
}
