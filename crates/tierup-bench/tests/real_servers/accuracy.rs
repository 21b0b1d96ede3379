//! Whether latencies are right: servers that wait for known times and write down how long they really took.
//!
//! No machine is too slow for these tests: what is compared was recorded by both sides of the same requests.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tierup_bench::load::{Load, Outcome, Pace};

use crate::{
    benchmark::{load, loaded},
    server::{BODY, Server, ok},
};

/// Of a hundred requests 90 take 5 ms, 9 take 20 and one takes 80.
fn injected(number: usize) -> Duration {
    Duration::from_millis(match number % 100 {
        99 => 80,
        number if number % 11 == 10 => 20,
        _ => 5,
    })
}

/// Loads a server of injected latencies; its own record of them, in seconds and in order, goes with the outcome.
fn against_its_record(change: impl Fn(Load) -> Load) -> (Load, Outcome, Vec<f64>) {
    let record = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&record);
    let server = Server::start(move |conversation| {
        while let Some(asked) = conversation.next() {
            let began = Instant::now();
            thread::sleep(injected(asked.number));
            written.lock().unwrap().push(began.elapsed().as_secs_f64());
            if conversation.send(&ok(BODY)).is_none() {
                return;
            }
        }
    });
    let load =
        change(Load { length: Duration::from_secs(3), timeout: Duration::from_secs(60), ..load(server.address) });
    let outcome = loaded(&load);
    drop(server);
    let mut record = std::mem::take(&mut *record.lock().unwrap());
    record.sort_by(f64::total_cmp);
    assert_eq!(outcome.failures.total(), 0);
    assert_eq!((outcome.answered, outcome.latencies.count()), (record.len() as u64, record.len() as u64));
    (load, outcome, record)
}

/// No quantile may be below the server's: each request took its client at least as long as its server. A histogram is
/// right to a thousandth.
fn no_quantile_is_below(outcome: &Outcome, record: &[f64]) {
    for share in [0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0] {
        let rank = ((share * record.len() as f64).ceil() as usize).clamp(1, record.len());
        let (mine, theirs) = (outcome.latencies.quantile(share).unwrap(), record[rank - 1]);
        assert!(mine * 1.001 >= theirs, "{share}: {mine} s, and the server alone took {theirs} s");
    }
}

#[test]
fn closed_loop_latencies_are_the_servers_and_what_lies_between() {
    let (load, outcome, record) = against_its_record(|load| Load { connections: 8, ..load });
    no_quantile_is_below(&outcome, &record);
    // And none is too long: a connection has one request at a time under way, so that all latencies together are no
    // longer than all connections were open (Little's law).
    let together = outcome.latencies.mean().unwrap() * outcome.latencies.count() as f64;
    let open = load.connections as f64 * (load.length + outcome.drained).as_secs_f64();
    assert!(together <= open * 1.001, "{together} s of latency in {open} s");
    // The mix itself, where the histogram must tell 5, 20 and 80 ms apart.
    let slower_than = |seconds: f64| record.iter().filter(|took| **took >= seconds).count();
    for (share, least) in [(0.5, 0.005), (0.995, 0.08)] {
        assert!(outcome.latencies.quantile(share).unwrap() >= least * 0.999, "{share}");
    }
    assert!(slower_than(0.02) * 100 >= record.len() * 9, "{} of {}", slower_than(0.02), record.len());
}

#[test]
fn open_loop_latencies_are_no_less_and_every_turn_is_accounted_for() {
    let rate = 237.0;
    let (load, outcome, record) =
        against_its_record(|load| Load { connections: 16, pace: Pace::Open { rate }, ..load });
    no_quantile_is_below(&outcome, &record);
    let turns = (rate * load.length.as_secs_f64()).ceil() as u64;
    assert_eq!(outcome.answered + outcome.unsent, turns);
}

/// A rate beyond anything: most is never sent, which is counted, and nothing is kept of it.
#[test]
fn a_rate_that_nobody_can_send_ends_in_time() {
    let server = Server::good();
    for rate in [1e9, 1e300, 1e-300] {
        let load = Load { pace: Pace::Open { rate }, ..load(server.address) };
        let outcome = loaded(&load);
        assert_eq!(outcome.failures.total(), 0);
        // The first request is due at once, whatever the rate.
        assert!(outcome.answered >= 1, "{rate}");
        assert_eq!(outcome.unsent > 1_000_000, rate > 1.0, "{rate}: {}", outcome.unsent);
    }
}
