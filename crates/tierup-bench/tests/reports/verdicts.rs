//! Every verdict that can follow from a run's raw results, and its sentence.

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::{Verdict, analyse},
    record::{Record, Role, Slice},
};

use crate::sample::{self, server};

/// Changes a slice of a row. The number is that of its block.
type Change = dyn Fn(usize, &mut Slice);

/// A row that equals the reference except for this change, compared with it over five blocks.
fn compared(change: &Change) -> Record {
    let figures = [500.0, 10.0, 512.0, 50.0];
    let rows = [server("0", Role::Reference, figures), server("3:native", Role::Candidate, figures)];
    let (mut record, _) = sample::run(&rows, 5);
    for (number, block) in record.blocks.iter_mut().enumerate() {
        block.rows[1].closed.iter_mut().for_each(|slice| change(number, slice));
    }
    record
}

fn check(change: &Change, expected: Expect) {
    check_record(&compared(change), expected);
}

fn check_record(record: &Record, expected: Expect) {
    let analysis = analyse(record);
    let mut lines: Vec<String> = Vec::new();
    for group in &analysis.groups {
        lines.extend(group.verdicts.iter().map(|sentence| format!("{}\n", sentence.text)));
        lines.extend(group.recommendation.iter().map(|text| format!("=> {text}\n")));
    }
    expected.assert_eq(&lines.concat());
}

/// Multiplies the server's CPU by `factor`, and by more in some blocks than in others.
fn cpu(slice: &mut Slice, factor: f64, scatter: f64, block: usize) {
    let noise = 1.0 + scatter * [-1.0, 0.4, 1.0, -0.6, 0.2][block];
    slice.server_cpu = slice.server_cpu.map(|spent| spent * factor * noise);
}

fn throughput(slice: &mut Slice, factor: f64, scatter: f64, block: usize) {
    let noise = 1.0 + scatter * [0.6, -1.0, 0.2, -0.4, 1.0][block];
    slice.completed = (slice.completed as f64 * factor * noise) as u64;
}

#[test]
fn the_same_row_twice_makes_no_difference_however_throughput_scatters() {
    check(
        &|_, _| {},
        expect![[r#"
            3:native makes no difference: a request costs 1,890 us of CPU as against 1,890: the same [1.00, 1.00]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays.
        "#]],
    );
    check(
        &|block, slice| {
            cpu(slice, 1.0, 0.02, block);
            throughput(slice, 0.97, 0.2, block);
        },
        expect![[r#"
            3:native makes no difference: a request costs 1,890 us of CPU as against 1,890: the same [1.02 less, 1.02 more]; 1.03 times less throughput than 0 [1.25 less, 1.19 more]
            => Stay at 0: no step pays.
        "#]],
    );
}

#[test]
fn cpu_per_request_decides() {
    check(
        &|block, slice| cpu(slice, 0.25, 0.02, block),
        expect![[r#"
            3:native pays: a request costs 472 us of CPU instead of 1,890: 4.00 times less [3.92, 4.08]; the same throughput as 0 [1.00, 1.00]
            => Take 3:native: a request costs 472 us of CPU instead of 1,890: 4.00 times less; the same throughput as 0. At 501 req/s, the most that 0 carried here, it needs 0.24 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 1.3, 0.02, block),
        expect![[r#"
            3:native does not pay: a request costs 2,460 us of CPU instead of 1,890: 1.30 times as much [1.27, 1.33]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays.
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 1.036, 0.01, block),
        expect![[r#"
            3:native makes no difference that matters: a request costs 1,960 us of CPU instead of 1,890: 3.6 % more [2.6, 4.6], told apart but within 5 %; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays.
        "#]],
    );
}

#[test]
fn the_question_that_more_blocks_would_answer_is_reported() {
    check(
        &|block, slice| cpu(slice, 0.94, 0.03, block),
        expect![[r#"
            3:native: cannot tell, it is better, but perhaps by less than 5 %: a request costs 1,780 us of CPU instead of 1,890: 1.06 times less [1.03, 1.10]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0 for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration).
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 0.97, 0.05, block),
        expect![[r#"
            3:native: cannot tell, it may be better or the same: a request costs 1,830 us of CPU instead of 1,890: 1.03 times less [1.08 less, 1.02 more]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0 for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration).
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 1.04, 0.06, block),
        expect![[r#"
            3:native: cannot tell, it is not better by 5 %, but may be worse: a request costs 1,960 us of CPU instead of 1,890: 1.04 times as much [1.02 less, 1.10 more]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0 for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration).
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 1.05, 0.03, block),
        expect![[r#"
            3:native does not pay: a request costs 1,980 us of CPU instead of 1,890: 1.05 times as much [1.02, 1.08]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays.
        "#]],
    );
    check(
        &|block, slice| cpu(slice, 1.0, 0.5, block),
        expect![[r#"
            3:native: cannot tell, it may be better or worse: a request costs 1,760 us of CPU instead of 1,890: 1.08 times less [1.87 less, 1.61 more]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0 for now: no row was shown to pay. More blocks give narrower intervals (--blocks, --duration).
        "#]],
    );
}

/// A process for each call may behave like this: it costs less CPU, and waits more.
#[test]
fn a_row_that_costs_less_and_carries_less_is_mixed() {
    check(
        &|block, slice| {
            cpu(slice, 0.5, 0.02, block);
            throughput(slice, 0.6, 0.05, block);
        },
        expect![[r#"
            3:native is mixed: less CPU, but less throughput: a request costs 945 us of CPU instead of 1,890: 2.00 times less [1.96, 2.04]; 1.66 times less throughput than 0 [1.58, 1.75]
            => Stay at 0: no step pays, unless the gain of a mixed row is worth its loss to you.
        "#]],
    );
    let mut record = compared(&|block, slice| cpu(slice, 0.5, 0.02, block));
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows[1].open) {
        slice.completed /= 2;
        slice.tenths.iter_mut().for_each(|answered| *answered /= 2);
    }
    check_record(
        &record,
        expect![[r#"
            3:native is mixed: less CPU, but it cannot carry 350 req/s: a request costs 945 us of CPU instead of 1,890: 2.00 times less [1.96, 2.04]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays, unless the gain of a mixed row is worth its loss to you.
        "#]],
    );
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows[1].closed) {
        slice.server_cpu = slice.server_cpu.map(|spent| spent * 2.0);
    }
    check_record(
        &record,
        expect![[r#"
            3:native does not pay: it cannot carry 350 req/s, but 0 can: a request costs 1,890 us of CPU as against 1,890: the same [1.02 less, 1.02 more]; the same throughput as 0 [1.00, 1.00]
            => Stay at 0: no step pays.
        "#]],
    );
}

/// Other programs disturbed the row in all blocks except one.
#[test]
fn a_row_that_once_carried_the_rate_can_carry_it() {
    let mut record = compared(&|block, slice| cpu(slice, 0.5, 0.02, block));
    for slice in record.blocks.iter_mut().skip(1).flat_map(|block| &mut block.rows[1].open) {
        slice.completed /= 2;
        slice.tenths.iter_mut().for_each(|answered| *answered /= 2);
    }
    let analysis = analyse(&record);
    assert_eq!(analysis.groups[0].verdicts[0].verdict, Verdict::Pays);
    assert!(
        analysis.rows[1].marks.iter().any(|mark| mark == "did not always carry 350 req/s"),
        "{:?}",
        analysis.rows[1].marks
    );
}

/// There is no CPU time if only a server's address is known.
#[test]
fn throughput_decides_if_there_is_no_cpu_time() {
    let without = |factor: f64| {
        move |block: usize, slice: &mut Slice| {
            slice.server_cpu = None;
            throughput(slice, factor, 0.02, block);
        }
    };
    check(
        &without(3.0),
        expect![[r#"
            3:native pays: 3.00 times the throughput of 0 [2.95, 3.06]
            => Take 3:native: 3.00 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.32 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        "#]],
    );
    check(
        &without(0.5),
        expect![[r#"
            3:native does not pay: 2.00 times less throughput than 0 [1.96, 2.04]
            => Stay at 0: no step pays.
        "#]],
    );
    check(
        &without(1.0),
        expect![[r#"
            3:native makes no difference: the same throughput as 0 [1.02 less, 1.02 more]
            => Stay at 0: no step pays.
        "#]],
    );
}

#[test]
fn there_is_no_verdict_if_the_reference_failed() {
    let mut rows = sample::servers();
    rows[0].fails = true;
    check_record(
        &sample::run(&rows, 3).0,
        expect![[r#"
            0:free: cannot tell, because 0 failed
            1:spawn: cannot tell, because 0 failed
            2:core: cannot tell, because 0 failed
            3:native: cannot tell, because 0 failed
            4:server failed: it did not answer within 30 s
            => No verdict: 0, the reference for all other rows, failed: it did not answer within 30 s.
        "#]],
    );
}

#[test]
fn the_ladder() {
    check_record(
        &sample::run(&sample::servers(), 5).0,
        expect![[r#"
            0:free is the ceiling, the limit for any rewrite of the function in this server: a request costs 36 us of CPU instead of 1,870: 52 times less [52, 52]; 52 times the throughput of 0 [52, 52]
            1:spawn does not pay: a request costs 2,410 us of CPU instead of 1,870: 1.29 times as much [1.29, 1.29]; 1.29 times less throughput than 0 [1.29, 1.29], 4.25 times less data
            2:core pays: a request costs 98 us of CPU instead of 1,870: 19 times less [19, 19]; 19 times the throughput of 0 [19, 19], 4.23 times less data
            3:native pays: a request costs 69 us of CPU instead of 1,870: 27 times less [27, 27]; 27 times the throughput of 0 [27, 27], 4.23 times less data
            4:server failed: it did not answer within 30 s
            => Take 2:core: a request costs 98 us of CPU instead of 1,870: 19 times less; 19 times the throughput of 0; a function that cost nothing would give 52. At 505 req/s, the most that 0 carried here, it needs 0.049 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`). The next step, 3:native, would save 0.014 cores and cost 0.05, with 1.02 times less memory.
        "#]],
    );
}

/// The reference and its ceiling alone, as `tierup ceiling` measures them.
fn ceiling(change: &Change) -> Record {
    let rows = [
        server("0", Role::Reference, [500.0, 10.0, 512.0, 50.0]),
        server("0:free", Role::Ceiling, [5000.0, 1.0, 512.0, 50.0]),
    ];
    let (mut record, _) = sample::run(&rows, 5);
    for (number, block) in record.blocks.iter_mut().enumerate() {
        block.rows[1].closed.iter_mut().for_each(|slice| change(number, slice));
    }
    record
}

#[test]
fn a_ceiling_bounds_what_a_rewrite_can_reach() {
    check_record(
        &ceiling(&|_, _| {}),
        expect![[r#"
            0:free is the ceiling, the limit for any rewrite of the function in this server: a request costs 189 us of CPU instead of 1,890: 10 times less [10, 10]; 10 times the throughput of 0 [10, 10]
            => A function that cost nothing would give 10 times the throughput of 0 [10, 10] at this load: the rest of the time goes into the server around it.
        "#]],
    );
}

#[test]
fn a_ceiling_that_failed_bounds_nothing() {
    check_record(
        &ceiling(&|block, slice| slice.failures.wrong_status = u64::from(block == 2)),
        expect![[r#"
        0:free failed: 3 answers with a wrong status
        => The limit of a rewrite is unknown, because 0:free, which measures it, failed: 3 answers with a wrong status.
    "#]],
    );
}

#[test]
fn a_ceiling_limited_by_the_load_generator_is_a_lower_bound() {
    check_record(
        &ceiling(&|_, slice| slice.generator_busiest = 0.99),
        expect![[r#"
            0:free is the ceiling, the limit for any rewrite of the function in this server: a request costs 189 us of CPU instead of 1,890: 10 times less [10, 10]; 10 times the throughput of 0 [10, 10]
            => A rewrite may reach at least 10 times the throughput of 0 [10, 10] at this load: the load generator was the limit of 0:free.
        "#]],
    );
}

#[test]
fn a_server_that_is_replaced_may_beat_its_ceiling() {
    let rows = [
        server("0", Role::Reference, [500.0, 10.0, 512.0, 50.0]),
        server("0:free", Role::Ceiling, [5000.0, 1.0, 512.0, 50.0]),
        server("4:server", Role::Candidate, [11_000.0, 1.0, 512.0, 10.0]),
    ];
    let (record, _) = sample::run(&rows, 5);
    let text = analyse(&record).groups[0].recommendation.clone().unwrap_or_default();
    expect!["Take 4:server: a request costs 86 us of CPU instead of 1,890: 22 times less; 22 times the throughput of 0; more than the 10 that a function that cost nothing would give. At 501 req/s, the most that 0 carried here, it needs 0.043 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`)."].assert_eq(&text);
}

#[test]
fn the_gain_of_the_next_step_is_reported_with_its_cost() {
    let rows = [
        server("0", Role::Reference, [500.0, 10.0, 512.0, 50.0]),
        server("3:native", Role::Candidate, [10_000.0, 1.0, 512.0, 40.0]),
        server("4:server", Role::Candidate, [11_000.0, 1.0, 512.0, 10.0]),
    ];
    check_record(
        &sample::run(&rows, 5).0,
        expect![[r#"
            3:native pays: a request costs 95 us of CPU instead of 1,890: 20 times less [20, 20]; 20 times the throughput of 0 [20, 20]
            4:server pays: a request costs 86 us of CPU instead of 1,890: 22 times less [22, 22]; 22 times the throughput of 0 [22, 22]
            => Take 3:native: a request costs 95 us of CPU instead of 1,890: 20 times less; 20 times the throughput of 0. At 501 req/s, the most that 0 carried here, it needs 0.047 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`). The next step, 4:server, would save 0.0043 cores and cost 0.05, with 4.00 times less memory.
        "#]],
    );
}
