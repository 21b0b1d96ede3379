//! A row that keeps answers: its hit rate, whether that says anything about traffic, and when the row beats Rust.

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::analyse,
    record::{Order, Record, Reuse, Role},
    report::{html, markdown, text},
};
use tierup_report::text::{Colour, Style};

use crate::sample::{self, server};

/// Five blocks of the original server, of one with a cache of answers that answered this share of 10,000 calls, and of
/// one with Rust.
fn memo(memo: f64, native: f64, hits: f64) -> Record {
    let row = |label: &str, role, speed: f64| server(label, role, [500.0 * speed, 10.0 / speed, 512.0, 50.0]);
    let rows = [
        row("0", Role::Reference, 1.0),
        row("0:memo", Role::Alternative, memo),
        row("3:native", Role::Candidate, native),
    ];
    let (mut record, _) = sample::run(&rows, 5);
    for block in &mut record.blocks {
        let hits = (2000.0 * hits) as u64;
        block.rows[1].reuse = Some(Reuse { calls: 2000, hits, entries: 400, bytes: 3 << 20 });
    }
    (record.requests.repeated, record.requests.order) = (0.95, Order::Recorded);
    record
}

fn check(record: &Record, expected: Expect) {
    let analysis = analyse(record);
    let group = &analysis.groups[0];
    let mut lines: Vec<String> = group.verdicts.iter().map(|sentence| format!("{}\n", sentence.text)).collect();
    lines.extend(group.recommendation.iter().map(|text| format!("=> {text}\n")));
    lines.extend(analysis.rows[1].marks.iter().map(|mark| format!("~ {mark}\n")));
    expected.assert_eq(&lines.concat());
}

#[test]
fn memoising_beats_rust_if_most_calls_are_repeated() {
    check(
        &memo(9.0, 9.0, 0.96),
        expect![[r#"
            0:memo pays: a request costs 210 us of CPU instead of 1,890: 8.98 times less [8.98, 8.98]; 9.00 times the throughput of 0 [9.00, 9.01]; 96 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native against 0:memo makes no difference: a request costs 210 us of CPU as against 210: the same [1.00, 1.00]; the same throughput as 0:memo [1.00, 1.00]; against 0, 8.98 times less CPU, 9.00 times the throughput
            => Take 0:memo: a request costs 210 us of CPU instead of 1,890: 8.98 times less; 9.00 times the throughput of 0. Rust adds nothing to that. Memoising 400 answers (3.00 MiB) beats Rust on this traffic, as long as it repeats as these requests do: 96 % of calls were answered from memory.
        "#]],
    );
    check(
        &memo(9.0, 10.0, 0.96),
        expect![[r#"
            0:memo pays: a request costs 210 us of CPU instead of 1,890: 8.98 times less [8.98, 8.98]; 9.00 times the throughput of 0 [9.00, 9.01]; 96 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native against 0:memo pays: a request costs 189 us of CPU instead of 210: 1.11 times less [1.11, 1.11]; 1.11 times the throughput of 0:memo [1.11, 1.11]; against 0, 10 times less CPU, 10 times the throughput
            => Take 0:memo: a request costs 210 us of CPU instead of 1,890: 8.98 times less; 9.00 times the throughput of 0. What Rust adds to that is too little for the steps that it takes. That holds as long as traffic repeats as these requests do: 96 % of calls were answered from memory, which kept 400 answers (3.00 MiB). At 501 req/s, the most that 0 carried here, it needs 0.11 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`). The next step, 3:native, would save 0.011 cores and cost 0.15, with the same memory.
        "#]],
    );
}

#[test]
fn rust_beats_a_cache_that_seldom_has_the_answer() {
    check(
        &memo(0.98, 8.0, 0.02),
        expect![[r#"
            0:memo makes no difference that matters: a request costs 1,930 us of CPU instead of 1,890: 2.0 % more [2.0, 2.1], told apart but within 5 %; 1.02 times less throughput than 0 [1.02, 1.02]; 2 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native pays: a request costs 237 us of CPU instead of 1,890: 7.98 times less [7.98, 7.99]; 8.00 times the throughput of 0 [8.00, 8.01]
            => Take 3:native: a request costs 237 us of CPU instead of 1,890: 7.98 times less; 8.00 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.12 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        "#]],
    );
}

/// A file without repeats is sent again and again, so a cache that holds all answers has every one of them.
#[test]
fn a_hit_rate_due_to_the_run_does_not_decide() {
    let mut record = memo(30.0, 9.0, 1.0);
    (record.requests.repeated, record.requests.order) = (0.0, Order::Rounds);
    check(
        &record,
        expect![[r#"
            0:memo: cannot tell, because only 0 % of these requests repeat an earlier one, and the run sends all of them again and again: a request costs 63 us of CPU instead of 1,890: 30 times less [30, 30]; 30 times the throughput of 0 [30, 30]; 100 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native pays: a request costs 210 us of CPU instead of 1,890: 8.98 times less [8.98, 8.98]; 9.00 times the throughput of 0 [9.00, 9.01]
            => Take 3:native: a request costs 210 us of CPU instead of 1,890: 8.98 times less; 9.00 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.11 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
            ~ hit rate of the run, not of the requests
        "#]],
    );
    // A skew says how often requests repeat.
    record.requests.order = Order::Skewed(0.8);
    check(
        &record,
        expect![[r#"
            0:memo pays: a request costs 63 us of CPU instead of 1,890: 30 times less [30, 30]; 30 times the throughput of 0 [30, 30]; 100 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native against 0:memo does not pay: a request costs 210 us of CPU instead of 63: 3.33 times as much [3.33, 3.33]; 3.33 times less throughput than 0:memo [3.33, 3.33]; against 0, 8.98 times less CPU, 9.00 times the throughput
            => Take 0:memo: a request costs 63 us of CPU instead of 1,890: 30 times less; 30 times the throughput of 0. Rust adds nothing to that. Memoising 400 answers (3.00 MiB) beats Rust on this traffic, as long as it repeats as these requests do: 100 % of calls were answered from memory.
        "#]],
    );
}

#[test]
fn a_cache_that_gains_nothing_even_from_the_runs_repeats_does_not_pay() {
    let mut record = memo(0.9, 9.0, 1.0);
    record.requests.repeated = 0.0;
    check(
        &record,
        expect![[r#"
            0:memo does not pay: a request costs 2,100 us of CPU instead of 1,890: 1.11 times as much [1.11, 1.11]; 1.11 times less throughput than 0 [1.11, 1.11]; 100 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB
            3:native pays: a request costs 210 us of CPU instead of 1,890: 8.98 times less [8.98, 8.98]; 9.00 times the throughput of 0 [9.00, 9.01]
            => Take 3:native: a request costs 210 us of CPU instead of 1,890: 8.98 times less; 9.00 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.11 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
            ~ hit rate of the run, not of the requests
        "#]],
    );
}

#[test]
fn every_report_has_the_hit_rate() {
    let record = memo(9.0, 9.0, 0.96);
    let analysis = analyse(&record);
    let style = Style { width: None, colour: Colour::Plain };
    let words = "96 % of 10,000 calls were answered from memory, which kept 400 answers in 3.00 MiB";
    for page in [
        text::render(&record, &analysis, style),
        markdown::render(&record, &analysis),
        html::render(&record, &analysis),
    ] {
        assert!(page.contains(words), "{page}");
    }
    let json = serde_json::to_value(&analysis).unwrap();
    assert_eq!((&json["rows"][1]["kept"]["hits"], &json["rows"][1]["kept"]["calls"]), (&9600.into(), &10000.into()));
    assert!(json["rows"][0]["kept"].is_null());
}
