//! Checks latencies against servers that wait for known times and record how long they really took.
//!
//! These tests pass on slow machines too, as they compare what both sides recorded about the same requests. An upper
//! bound holds only while the machine delays neither side, so only one of many short loads must be exact.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tierup_bench::{
    histogram::Latencies,
    load::{Load, LoadOutcome, Pace},
};

use crate::{
    benchmark::{load, loaded},
    server::{BODY, Server, ok},
};

/// Of a hundred requests, 90 take 5 ms, 9 take 20 ms, and one takes 80 ms.
fn injected(number: usize) -> Duration {
    Duration::from_millis(match number % 100 {
        99 => 80,
        number if number % 11 == 10 => 20,
        _ => 5,
    })
}

/// Loads a server with injected latencies. Returns the outcome and the server's own record of latencies, sorted, in
/// seconds.
fn against_its_record(change: impl Fn(Load) -> Load) -> (Load, LoadOutcome, Vec<f64>) {
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
    let load = change(Load { timeout: Duration::from_secs(60), ..load(server.address) });
    let outcome = loaded(&load);
    drop(server);
    let mut record = std::mem::take(&mut *record.lock().unwrap());
    record.sort_by(f64::total_cmp);
    assert_eq!(outcome.failures.total(), 0);
    assert_eq!((outcome.answered, outcome.latencies.count()), (record.len() as u64, record.len() as u64));
    (load, outcome, record)
}

const SHARES: [f64; 9] = [0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0];

/// The quantile of sorted numbers: this share of them is no larger.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}

/// No quantile may be below the server's, as each request took at least as long for the client as for the server. A
/// histogram is exact to a thousandth.
fn no_quantile_is_below(outcome: &LoadOutcome, record: &[f64]) {
    for share in SHARES {
        let (mine, theirs) = (outcome.latencies.quantile(share).unwrap(), quantile(record, share));
        assert!(mine * 1.001 >= theirs, "{share}: {mine} s, and the server alone took {theirs} s");
    }
}

/// How much the connection, two wake-ups and the client itself may add in a good moment.
const BETWEEN: f64 = 0.004;
/// The number of loads, one of which must meet a good moment.
const ATTEMPTS: usize = 40;

/// In one of many short loads, no quantile exceeds the server's by more than [`BETWEEN`].
fn no_quantile_is_above(change: impl Fn(Load) -> Load) {
    let mut closest = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        let (_, outcome, record) =
            against_its_record(|load| change(Load { length: Duration::from_millis(400), ..load }));
        let over = |share: f64| outcome.latencies.quantile(share).unwrap() / 1.001 - quantile(&record, share);
        let most = SHARES.map(over).into_iter().fold(f64::NEG_INFINITY, f64::max);
        closest = closest.min(most);
        if closest <= BETWEEN {
            return;
        }
    }
    panic!("at best some quantile is {closest} s above the server's own");
}

#[test]
fn latencies_are_at_most_the_servers_and_the_time_between() {
    no_quantile_is_above(|load| Load { connections: 4, ..load });
    no_quantile_is_above(|load| Load { connections: 8, pace: Pace::Open { rate: 100.0 }, ..load });
}

/// A histogram of the server's own record must match it from both sides, as nothing lies between.
#[test]
fn a_histogram_has_every_quantile_of_a_servers_latencies() {
    let (_, _, record) = against_its_record(|load| Load { connections: 8, length: Duration::from_secs(1), ..load });
    let mut latencies = Latencies::default();
    record.iter().for_each(|took| latencies.record(Duration::from_secs_f64(*took)));
    for share in SHARES {
        let (mine, theirs) = (latencies.quantile(share).unwrap(), quantile(&record, share));
        assert!((mine / theirs - 1.0).abs() < 0.001, "{share}: {mine} s for {theirs} s");
    }
}

#[test]
fn closed_loop_latencies_are_at_least_the_servers_and_fit_the_connections() {
    let (load, outcome, record) =
        against_its_record(|load| Load { connections: 8, length: Duration::from_secs(3), ..load });
    no_quantile_is_below(&outcome, &record);
    // They are not too long either: a connection has one request at a time under way, so all latencies together are at
    // most the time that all connections were open (Little's law).
    let together = outcome.latencies.mean().unwrap() * outcome.latencies.count() as f64;
    let open = load.connections as f64 * (load.length + outcome.drained).as_secs_f64();
    assert!(together <= open * 1.001, "{together} s of latency in {open} s");
    // The histogram must also distinguish the 5, 20 and 80 ms of the mix.
    let slower_than = |seconds: f64| record.iter().filter(|took| **took >= seconds).count();
    for (share, least) in [(0.5, 0.005), (0.995, 0.08)] {
        assert!(outcome.latencies.quantile(share).unwrap() >= least * 0.999, "{share}");
    }
    assert!(slower_than(0.02) * 100 >= record.len() * 9, "{} of {}", slower_than(0.02), record.len());
}

#[test]
fn open_loop_latencies_are_at_least_the_servers_and_every_turn_is_counted() {
    let rate = 237.0;
    let (load, outcome, record) = against_its_record(|load| {
        let length = Duration::from_secs(3);
        Load { connections: 16, length, pace: Pace::Open { rate }, ..load }
    });
    no_quantile_is_below(&outcome, &record);
    let turns = (rate * load.length.as_secs_f64()).ceil() as u64;
    assert_eq!(outcome.answered + outcome.unsent, turns);
}

/// At an extreme rate, most requests are never sent. They are counted, and take no memory.
#[test]
fn a_rate_that_nobody_can_send_ends_in_time() {
    let server = Server::good();
    for rate in [1e9, 1e300, 1e-300] {
        let load = Load { pace: Pace::Open { rate }, ..load(server.address) };
        let outcome = loaded(&load);
        assert_eq!(outcome.failures.total(), 0);
        // The first request is due at once at any rate.
        assert!(outcome.answered >= 1, "{rate}");
        assert_eq!(outcome.unsent > 1_000_000, rate > 1.0, "{rate}: {}", outcome.unsent);
    }
}
