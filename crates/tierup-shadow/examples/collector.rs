//! What counting costs a request: `cargo run --release -p tierup-shadow --example collector`.
//!
//! Out: nanoseconds of processor time for a request, with 1 and 4 threads, and with a reader that takes counts all the
//! time (a proxy takes them every five seconds). The lines differ by what threads cost each other.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "this is a program for developers")]

use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use hyper::Method;
use rustix::time::{ClockId, clock_gettime};
use tierup_rollout::{Bucket, Side, Weights};
use tierup_shadow::parts::{Answered, Collector, Counter, Outcome};

const REQUESTS: u32 = 1_000_000;
const ROUNDS: usize = 5;

fn main() {
    let routes: Vec<String> =
        ["GET /orders/{id}", "POST /orders", "GET /users/{id}/orders"].map(str::to_owned).to_vec();
    println!("routes     threads  reader  ns/request (least of {ROUNDS} rounds)");
    for (name, routes) in [("none", &routes[..0]), ("3", &routes[..])] {
        for threads in [1, 4] {
            for has_reader in [false, true] {
                let rounds = (0..ROUNDS).map(|_| round(routes, threads, has_reader));
                let nanos = rounds.fold(f64::INFINITY, f64::min);
                let reader = if has_reader { "always" } else { "never" };
                println!("{name:<10} {threads:>7}  {reader:<6}  {nanos:.0}");
            }
        }
    }
}

/// Nanoseconds of processor time for a request.
fn round(routes: &[String], threads: u32, has_reader: bool) -> f64 {
    let (collector, _notes) = Collector::new(routes);
    let stop = AtomicBool::new(false);
    let nanos = thread::scope(|scope| {
        let count = || {
            let counter = collector.counter();
            let began = processor_time();
            (0..REQUESTS).for_each(|number| request(&counter, number));
            processor_time().saturating_sub(began)
        };
        if has_reader {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    black_box(collector.take());
                    thread::yield_now();
                }
            });
        }
        let counting: Vec<_> = (0..threads).map(|_| scope.spawn(count)).collect();
        let all: Duration = counting.into_iter().map(|thread| thread.join().unwrap()).sum();
        stop.store(true, Relaxed);
        all.as_nanos() as f64
    });
    nanos / f64::from(threads * REQUESTS)
}

/// Counts a request. A quarter of the requests belongs to the project's routes; latencies vary.
fn request(counter: &Counter, number: u32) {
    let paths = ["/", "/orders/17", "/static/app.js", "/api/v1/items/123e4567-e89b-12d3-a456-426614174000/prices"];
    let path = paths[number as usize % paths.len()];
    let route = counter.route(&Method::GET, black_box(path));
    let took = Duration::from_micros(u64::from(300 + number % 5_000));
    let client = Some(Bucket(u64::from(number)));
    let weights = Weights::default();
    counter.answered(&Answered {
        route,
        side: Side::Control,
        weights,
        client,
        network: None,
        outcome: Outcome::Answered,
        took,
    });
}

/// The processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}
