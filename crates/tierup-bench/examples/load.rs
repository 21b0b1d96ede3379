//! The load generator alone, to compare with others: `load http://127.0.0.1:PORT/ SECONDS [CONNECTIONS] [WORKERS]
//! [RATE]`. It prints one line of JSON: requests per second (`steady`: as the benchmark counts them), latencies in
//! milliseconds, and its own CPU in microseconds per request.

use std::{process::ExitCode, sync::Arc, time::Duration};

use rustix::time::{ClockId, clock_gettime};
use tierup_bench::load::{Content, Expectation, Load, Pace, Workload, generate};
use tierup_subject::Prepared;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<f64>().ok());
    let parts = arguments.first().and_then(|url| url.strip_prefix("http://")).and_then(|rest| rest.split_once('/'));
    let (Some((authority, path)), Some(seconds)) = (parts, number(1)) else {
        eprintln!("usage: load http://ADDRESS:PORT/PATH SECONDS [CONNECTIONS] [WORKERS] [RATE]");
        return ExitCode::from(2);
    };
    let Ok(address) = authority.parse() else {
        eprintln!("error: `{authority}` is no address with a port");
        return ExitCode::from(2);
    };
    let request = match Prepared::new("GET", &format!("/{path}"), &[], b"", authority) {
        Ok(request) => request,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let workload = Workload {
        requests: vec![request],
        order: vec![0],
        expected: vec![Expectation { status: 200, content: Content::Varies }],
    };
    let load = Load {
        address,
        connections: number(2).unwrap_or(100.0) as usize,
        workers: number(3).unwrap_or(1.0) as usize,
        pace: number(4).map_or(Pace::Closed, |rate| Pace::Open { rate }),
        length: Duration::from_secs_f64(seconds),
        timeout: Duration::from_secs(10),
        offset: 0,
        in_order: false,
        parts: 10,
        processors: None,
    };
    let cpu = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let before = cpu();
    let outcome = generate(&load, &Arc::new(workload), &mut ());
    let spent = cpu() - before;
    let quantile = |share| outcome.latencies.quantile(share).map(|seconds| seconds * 1e3);
    let line = serde_json::json!({
        "requests_per_second": outcome.completed as f64 / seconds, "steady": outcome.steady,
        "p50_ms": quantile(0.5), "p90_ms": quantile(0.9), "p99_ms": quantile(0.99),
        "failures": outcome.failures.total(), "unsent": outcome.unsent,
        "lag_p99_ms": outcome.lags.quantile(0.99).map(|seconds| seconds * 1e3),
        "cpu_us_per_request": spent / outcome.answered.max(1) as f64,
        "busiest": outcome.busiest,
    });
    println!("{line}");
    ExitCode::SUCCESS
}
