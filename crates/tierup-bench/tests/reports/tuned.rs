//! If a function was also tuned without Rust, a row with Rust is judged by what it adds to that.

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::{Figure, Verdict, analyse},
    histogram::Latencies,
    record::{Record, Role, Slice},
};

use crate::sample::{self, server};

const TUNED: usize = 1;
const NATIVE: usize = 2;

/// Five blocks of the original server, of one tuned without Rust, and of one with Rust. The arguments are the
/// throughputs of the latter two as multiples of the first.
fn tuned(tuned: f64, native: f64) -> Record {
    let row = |label: &str, role, speed: f64| server(label, role, [500.0 * speed, 10.0 / speed, 512.0, 50.0]);
    let rows = [
        row("0", Role::Reference, 1.0),
        row("0:tuned", Role::Alternative, tuned),
        row("3:native", Role::Candidate, native),
    ];
    let (mut record, _) = sample::run(&rows, 5);
    scatter(&mut record, TUNED, |block| 1.0 + 0.01 * [-1.0, 0.4, 1.0, -0.6, 0.2][block]);
    scatter(&mut record, NATIVE, |block| 1.0 + 0.01 * [0.6, -1.0, 0.2, -0.4, 1.0][block]);
    record
}

/// Changes the cost of a row's requests in each block.
fn scatter(record: &mut Record, row: usize, factor: impl Fn(usize) -> f64) {
    for (number, block) in record.blocks.iter_mut().enumerate() {
        let change = |slice: &mut Slice| slice.server_cpu = slice.server_cpu.map(|spent| spent * factor(number));
        block.rows[row].closed.iter_mut().for_each(change);
    }
}

fn check(record: &Record, expected: Expect) {
    let group = &analyse(record).groups[0];
    let mut lines: Vec<String> = group.verdicts.iter().map(|sentence| format!("{}\n", sentence.text)).collect();
    lines.extend(group.recommendation.iter().map(|text| format!("=> {text}\n")));
    expected.assert_eq(&lines.concat());
}

#[test]
fn the_gain_of_tuning_does_not_count_for_rust() {
    check(
        &tuned(2.44, 2.46),
        expect![[r#"
            0:tuned pays: a request costs 775 us of CPU instead of 1,890: 2.44 times less [2.41, 2.47]; 2.44 times the throughput of 0 [2.44, 2.44]
            3:native against 0:tuned makes no difference: a request costs 770 us of CPU instead of 775: 1.01 times less [1.03 less, 1.01 more]; 1.01 times the throughput of 0:tuned [1.01, 1.01]; against 0, 2.45 times less CPU, 2.46 times the throughput
            => Take 0:tuned: a request costs 775 us of CPU instead of 1,890: 2.44 times less; 2.44 times the throughput of 0. Rust adds nothing to that.
        "#]],
    );
}

#[test]
fn what_rust_adds_is_reported_beside_the_whole_gain() {
    check(
        &tuned(2.44, 10.0),
        expect![[r#"
            0:tuned pays: a request costs 775 us of CPU instead of 1,890: 2.44 times less [2.41, 2.47]; 2.44 times the throughput of 0 [2.44, 2.44]
            3:native against 0:tuned pays: a request costs 190 us of CPU instead of 775: 4.09 times less [4.02, 4.17]; 4.10 times the throughput of 0:tuned [4.10, 4.10]; against 0, 10 times less CPU, 10 times the throughput
            => Take 3:native: a request costs 190 us of CPU instead of 1,890: 10 times less; 10 times the throughput of 0. That is 4.09 times less CPU than 0:tuned [4.02, 4.17], which has no Rust. At 501 req/s, the most that 0 carried here, it needs 0.095 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        "#]],
    );
}

/// A gain that would not be worth three steps over the reference is not worth them over the tuned row.
#[test]
fn the_addition_of_rust_must_be_worth_its_steps() {
    check(
        &tuned(2.44, 2.65),
        expect![[r#"
            0:tuned pays: a request costs 775 us of CPU instead of 1,890: 2.44 times less [2.41, 2.47]; 2.44 times the throughput of 0 [2.44, 2.44]
            3:native against 0:tuned pays: a request costs 715 us of CPU instead of 775: 1.09 times less [1.06, 1.11]; 1.09 times the throughput of 0:tuned [1.09, 1.09]; against 0, 2.64 times less CPU, 2.65 times the throughput
            => Take 0:tuned: a request costs 775 us of CPU instead of 1,890: 2.44 times less; 2.44 times the throughput of 0. What Rust adds to that is too little for the steps that it takes. At 501 req/s, the most that 0 carried here, it needs 0.39 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`). The next step, 3:native, would save 0.030 cores and cost 0.15, with the same memory.
        "#]],
    );
    // The gain over the tuned row is 5 / 2.44, more than the 1.25 x 1.25 x 1.25 that three steps must bring.
    let recommended = analyse(&tuned(2.44, 5.0)).groups[0].recommendation.clone().unwrap_or_default();
    assert!(recommended.starts_with("Take 3:native: "), "{recommended}");
}

#[test]
fn rust_that_is_slower_than_the_tuned_row_does_not_pay() {
    check(
        &tuned(2.44, 2.0),
        expect![[r#"
            0:tuned pays: a request costs 775 us of CPU instead of 1,890: 2.44 times less [2.41, 2.47]; 2.44 times the throughput of 0 [2.44, 2.44]
            3:native against 0:tuned does not pay: a request costs 947 us of CPU instead of 775: 1.22 times as much [1.20, 1.24]; 1.22 times less throughput than 0:tuned [1.22, 1.22]; against 0, 2.00 times less CPU, 2.00 times the throughput
            => Take 0:tuned: a request costs 775 us of CPU instead of 1,890: 2.44 times less; 2.44 times the throughput of 0. Rust adds nothing to that.
        "#]],
    );
}

#[test]
fn the_addition_of_rust_may_be_undecided() {
    let mut record = tuned(2.44, 2.6);
    scatter(&mut record, NATIVE, |block| 1.0 + 0.3 * [-1.0, 0.4, 1.0, -0.6, 0.2][block]);
    check(
        &record,
        expect![[r#"
            0:tuned pays: a request costs 775 us of CPU instead of 1,890: 2.44 times less [2.41, 2.47]; 2.44 times the throughput of 0 [2.44, 2.44]
            3:native against 0:tuned: cannot tell, it may be better or worse: a request costs 711 us of CPU instead of 775: 1.09 times less [1.59 less, 1.33 more]; 1.07 times the throughput of 0:tuned [1.07, 1.07]; against 0, 2.66 times less CPU, 2.60 times the throughput
            => Take 0:tuned: a request costs 775 us of CPU instead of 1,890: 2.44 times less; 2.44 times the throughput of 0. Whether Rust adds to that cannot be told; more blocks would tell more (--blocks, --duration).
        "#]],
    );
}

/// If the tuned row is worse or was not measured soundly, the reference is the best row without Rust.
#[test]
fn useless_tuning_changes_nothing() {
    check(
        &tuned(0.5, 3.0),
        expect![[r#"
            0:tuned does not pay: a request costs 3,770 us of CPU instead of 1,890: 1.99 times as much [1.97, 2.02]; 2.00 times less throughput than 0 [2.00, 2.00]
            3:native pays: a request costs 631 us of CPU instead of 1,890: 2.99 times less [2.96, 3.03]; 3.00 times the throughput of 0 [3.00, 3.00]
            => Take 3:native: a request costs 631 us of CPU instead of 1,890: 2.99 times less; 3.00 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.32 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        "#]],
    );
    let mut record = tuned(5.0, 3.0);
    record.blocks[1].rows[TUNED].closed[0].failures.wrong_body = 1;
    let analysis = analyse(&record);
    let sentence = &analysis.groups[0].verdicts[1];
    assert_eq!((sentence.row, sentence.verdict), (NATIVE, Verdict::Pays));
    assert!(analysis.rows[NATIVE].against.is_none());
}

#[test]
fn without_a_second_baseline_the_reference_counts() {
    assert!(analyse(&sample::run(&sample::servers(), 5).0).rows.iter().all(|row| row.against.is_none()));
}

/// These rows differ only by luck. The row that is best in its own blocks was lucky in them, so a row just like it
/// would seem slightly worse in each of many runs.
#[test]
fn the_luck_of_the_best_is_not_held_against_rust() {
    // A linear congruential generator (Knuth's MMIX), for noise that is the same in every run of this test.
    let mut state = 1_u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0 + 0.2 * ((state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5)
    };
    let labels = ["0", "0:a", "0:b", "0:c", "0:d", "0:e"];
    let role = |index: usize| if index == 0 { Role::Reference } else { Role::Alternative };
    let figures = [500.0, 10.0, 512.0, 50.0];
    let mut rows: Vec<_> = labels.iter().enumerate().map(|(at, label)| server(label, role(at), figures)).collect();
    rows.push(server("3:native", Role::Candidate, figures));
    let (mut clean, _) = sample::run(&rows, 5);
    // Only costs matter here.
    for row in clean.blocks.iter_mut().flat_map(|block| &mut block.rows) {
        row.open.clear();
        row.closed.iter_mut().for_each(|slice| slice.latencies = Latencies::default());
    }
    let (mut sum, mut naive, mut runs) = (0.0, 0.0, 0.0);
    for _ in 0..40 {
        let mut record = clean.clone();
        for row in 0..rows.len() {
            let factors: Vec<f64> = (0..5).map(|_| noise()).collect();
            scatter(&mut record, row, |block| factors[block]);
        }
        let analysis = analyse(&record);
        let cost = |row: usize| {
            let blocks = &analysis.cell(row, Figure::CpuPerRequest).unwrap().blocks;
            blocks.iter().flatten().map(|cost| cost.ln()).sum::<f64>()
        };
        let best = (0..labels.len()).map(cost).fold(f64::INFINITY, f64::min);
        let Some(against) = &analysis.rows[labels.len()].against else { continue };
        sum += against.cpu_per_request.as_ref().map_or(f64::NAN, |times| times.ratio.ln());
        naive += (cost(labels.len()) - best) / 5.0;
        runs += 1.0;
    }
    let (mean, naive) = (sum / runs, naive / runs);
    assert!(runs > 30.0 && mean.abs() < 0.01, "{mean} in {runs} runs");
    assert!(naive > 0.025, "the best in its own blocks looks better than it is: {naive}");
}
