//! Coordinated omission: for a server that stalls now and then, the open loop shows the stalls, and the closed loop
//! hides them.

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

/// Answers nobody for a while every two seconds, like a server during garbage collection.
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
    // The server is stalled for a tenth of the time, so the slowest hundredth waited for nearly a whole stall. A busy
    // machine only makes that longer.
    let open = Load { length, pace: Pace::Open { rate: 200.0 }, ..load(server.address) };
    let slow = p99(&open);
    assert!(slow >= 0.1, "{slow}");
}

#[test]
fn a_stall_is_hidden_in_a_closed_loop_of_one_connection() {
    let server = stalling();
    let closed = Load { length: EVERY * 3, connections: 1, workers: 1, ..load(server.address) };
    let outcome = loaded(&closed);
    let slow = outcome.latencies.maximum().unwrap();
    assert!(slow >= STALL.as_secs_f64(), "it stalled: {slow}");
    // Three of thousands of answers were slow, far fewer than one in a hundred.
    assert!(outcome.latencies.count() > 400, "{}", outcome.latencies.count());
    let most = outcome.latencies.quantile(0.99).unwrap();
    assert!(most < STALL.as_secs_f64(), "no trace of it: {most}");
}

/// Simulates a machine so busy that no connection runs before the load's end.
#[test]
fn a_load_that_ends_before_its_connections_begin_still_sends_one_request_on_each() {
    let server = Server::answering(|_| ok(BODY));
    let outcome = loaded(&Load { length: Duration::ZERO, ..load(server.address) });
    assert_eq!((outcome.answered, outcome.failures.total()), (4, 0));
}
