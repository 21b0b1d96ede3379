//! Intervals for two rows that are the same row cover 1 as often as they promise. This is a fast version of
//! `examples/coverage.rs` on synthetic recordings; each share has a standard error of half a per cent.

mod simulation;

use rand::SeedableRng;
use rand::rngs::StdRng;
use simulation::synthetic::{EVEN, SLOW_SLICES, UNEVEN, coverage_of_unlike_rows, record, record_one_slow_slice};
use simulation::{Dealing, Design, Run, coverage};

const SIMULATIONS: u32 = 2_000;

fn seeded() -> StdRng {
    StdRng::seed_from_u64(1908)
}

fn check(run: &Run, design: Design, expected: std::ops::Range<f64>) {
    let covered =
        coverage(std::slice::from_ref(run), design, SIMULATIONS, &mut seeded()).expect("the run is large enough");
    assert!(expected.contains(&covered), "{}, {design:?}: {covered}, not {expected:?}", run.label);
}

#[test]
fn normal_noise_is_covered_as_promised() {
    let run = record("even noise", EVEN, 40, 28, &mut seeded());
    for blocks in [3, 5, 10] {
        for comparisons in [1, 6] {
            for dealing in [Dealing::Slices, Dealing::Processes] {
                check(&run, Design { dealing, blocks, comparisons }, 0.93..0.97);
            }
        }
    }
}

#[test]
fn long_tails_err_on_the_safe_side() {
    for noise in [UNEVEN, SLOW_SLICES] {
        let run = record("long tails", noise, 40, 28, &mut seeded());
        for blocks in [3, 5, 10] {
            check(&run, Design { dealing: Dealing::Slices, blocks, comparisons: 1 }, 0.93..0.985);
            check(&run, Design { dealing: Dealing::Slices, blocks, comparisons: 6 }, 0.94..1.0);
            check(&run, Design { dealing: Dealing::Processes, blocks, comparisons: 6 }, 0.93..0.97);
        }
    }
}

#[test]
fn skewed_ratios_are_covered() {
    for blocks in [3, 5, 10] {
        let covered = coverage_of_unlike_rows(blocks, 4, SIMULATIONS, &mut seeded());
        assert!((0.93..0.97).contains(&covered), "{blocks} blocks: {covered}");
    }
}

/// As docs/method.md admits, three blocks are too few if every block has one slow slice. Five come near the promise.
#[test]
fn one_slow_slice_in_every_block_defeats_three_blocks() {
    let run = record_one_slow_slice("one slow slice", 40, 8, &mut seeded());
    let design = |blocks| Design { dealing: Dealing::Slices, blocks, comparisons: 1 };
    check(&run, design(3), 0.75..0.90);
    check(&run, design(5), 0.91..0.97);
    check(&run, design(10), 0.93..0.97);
}

#[test]
fn small_recordings_are_refused() {
    let run = record("short", EVEN, 5, 4, &mut seeded());
    for (dealing, comparisons) in [(Dealing::Slices, 6), (Dealing::Processes, 1)] {
        let design = Design { dealing, blocks: 5, comparisons };
        assert_eq!(coverage(std::slice::from_ref(&run), design, 1, &mut seeded()), None, "{design:?}");
    }
}
