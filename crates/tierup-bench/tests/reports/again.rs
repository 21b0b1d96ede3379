//! A server against itself: what that says about the machine.

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::analyse,
    record::{Record, Role},
};

use crate::sample::{self, server};

/// The reference twice over five blocks. The second row's CPU is `factor` times the first one's, and scatters by `scatter`.
fn twice(factor: f64, scatter: f64) -> Record {
    let figures = [500.0, 10.0, 512.0, 50.0];
    let rows = [server("0", Role::Reference, figures), server("0 again", Role::Again, figures)];
    let (mut record, _) = sample::run(&rows, 5);
    for (block, noise) in record.blocks.iter_mut().zip([-1.0, 0.4, 1.0, -0.6, 0.2]) {
        for slice in &mut block.rows[1].closed {
            slice.server_cpu = slice.server_cpu.map(|spent| spent * factor * (1.0 + scatter * noise));
        }
    }
    record
}

/// The verdict, what it says about the machine, and the resolution.
fn check(record: &Record, expected: Expect) {
    let analysis = analyse(record);
    let [group] = &analysis.groups[..] else { panic!("there is one group") };
    let again = group.again.as_ref().expect("the reference was measured twice");
    assert_eq!(group.recommendation.as_ref(), Some(&again.sentence));
    let resolution = again.resolution.map_or_else(String::new, |factor| format!("{factor:.3}"));
    expected.assert_eq(&format!("{}\n=> {}\n{resolution}\n", group.verdicts[0].text, again.sentence));
}

#[test]
fn a_quiet_machine_says_how_small_a_difference_it_tells() {
    check(
        &twice(1.0, 0.02),
        expect![[r#"
        0 again makes no difference: a request costs 1,890 us of CPU as against 1,890: the same [1.02 less, 1.02 more]; the same throughput as 0 [1.00, 1.00]
        => A run like this one (5 blocks) tells two rows apart on this machine if their CPU per request differs by 2 % or more, and in nearly every run if by 4.1 %. The smallest change that counts is 5 %: to pay, a row must measure 7.1 % better.
        1.020
    "#]],
    );
}

#[test]
fn a_coarse_run_says_how_many_blocks_it_takes() {
    check(
        &twice(1.0, 0.1),
        expect![[r#"
        0 again: cannot tell, it may be better or worse: a request costs 1,880 us of CPU as against 1,890: the same [1.11 less, 1.10 more]; the same throughput as 0 [1.00, 1.00]
        => A run like this one (5 blocks) tells two rows apart on this machine if their CPU per request differs by 10.5 % or more, and in nearly every run if by 22.1 %. That is too coarse for the smallest change that counts, 5 %: it takes about 5 times as many blocks (--blocks, --duration), or a quieter machine.
        1.105
    "#]],
    );
}

#[test]
fn a_machine_that_tells_a_row_from_itself_raises_an_alarm() {
    check(
        &twice(1.3, 0.02),
        expect![[r#"
        0 again is slower: a request costs 2,460 us of CPU instead of 1,890: 1.30 times as much [1.27, 1.33]; the same throughput as 0 [1.00, 1.00]
        => Do not trust this machine's verdicts: it tells 0 from itself. Nothing but the machine can differ: other programs or virtual machines beside it, a clock rate that follows heat or load, or a server whose processes differ from one start to the next. Chance alone does this in at most one run of ten. Run it again on a machine with nothing else to do, with --cpuset, or for longer (--duration, --blocks).
        1.020
    "#]],
    );
    // Better, but perhaps by less than the threshold: "cannot tell" between two rows, and a difference here.
    check(
        &twice(0.94, 0.03),
        expect![[r#"
        0 again: cannot tell, it is better, but perhaps by less than 5 %: a request costs 1,780 us of CPU instead of 1,890: 1.06 times less [1.03, 1.10]; the same throughput as 0 [1.00, 1.00]
        => Do not trust this machine's verdicts: it tells 0 from itself. Nothing but the machine can differ: other programs or virtual machines beside it, a clock rate that follows heat or load, or a server whose processes differ from one start to the next. Chance alone does this in at most one run of ten. Run it again on a machine with nothing else to do, with --cpuset, or for longer (--duration, --blocks).
        1.030
    "#]],
    );
}

#[test]
fn a_small_difference_may_be_chance() {
    check(
        &twice(1.02, 0.01),
        expect![[r#"
        0 again makes no difference that matters: a request costs 1,930 us of CPU instead of 1,890: 2.0 % more [1.0, 3.0], told apart but within 5 %; the same throughput as 0 [1.00, 1.00]
        => A run like this one (5 blocks) tells two rows apart on this machine if their CPU per request differs by 1 % or more, and in nearly every run if by 2 %. The smallest change that counts is 5 %: to pay, a row must measure 6 % better. The interval leaves out 1, as it does by chance in one run of twenty; if it does so again, 0 differs from itself.
        1.010
    "#]],
    );
}

#[test]
fn a_server_that_ran_already_shows_no_difference_between_starts() {
    let mut record = twice(1.0, 0.02);
    record.blocks.iter_mut().flat_map(|block| &mut block.rows).for_each(|row| row.start_seconds = None);
    let analysis = analyse(&record);
    let said = &analysis.groups[0].recommendation.as_ref().unwrap();
    assert!(said.ends_with("one running server, so what differs from one start to the next is not in this."), "{said}");
}

#[test]
fn a_reference_that_failed_says_nothing_about_the_machine() {
    let mut record = twice(1.0, 0.02);
    record.blocks[0].rows[0].closed[0].failures.closed = 1;
    let analysis = analyse(&record);
    assert_eq!(analysis.groups[0].again, None);
    assert!(analysis.groups[0].recommendation.as_ref().unwrap().starts_with("No verdict: 0, the reference"));
}
