//! How often the end of warm-up is found, missed and imagined, in synthetic series of 10 to 60 buckets with 5 % noise.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tierup_stats::{Limits, steadiness, warm_up};

const SERIES: usize = 500;
const LENGTHS: [usize; 4] = [10, 20, 40, 60];

/// A sum of twelve uniform deviates is near enough to normal here.
fn noise(generator: &mut StdRng) -> f64 {
    0.05 * ((0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0)
}

/// What a synthetic server does.
struct Server<Level> {
    /// Its level, given the place in the series, 0..1.
    level: Level,
    /// The share of buckets that lose 40 %.
    slow_buckets: f64,
    /// How much of a bucket's noise stays for the next one, 0..1.
    wander: f64,
}

/// Where each of many series was found steady.
fn cuts(length: usize, server: &Server<impl Fn(f64) -> f64>) -> Vec<Option<usize>> {
    let mut generator = StdRng::seed_from_u64(1997);
    let mut one = || {
        let mut wandering = 0.0;
        let mut bucket = |place: usize| {
            wandering = server.wander * wandering + noise(&mut generator);
            let stall = if generator.random_bool(server.slow_buckets) { 0.4 } else { 0.0 };
            1000.0 * ((server.level)(place as f64 / length as f64) + wandering - stall)
        };
        warm_up(&(0..length).map(&mut bucket).collect::<Vec<f64>>()).expect("there are buckets enough").steady_from
    };
    (0..SERIES).map(|_| one()).collect()
}

/// A server that jumps from 60 % of its level to all of it.
fn step_at(step: f64) -> Server<impl Fn(f64) -> f64> {
    Server { level: move |place| if place < step { 0.6 } else { 1.0 }, slow_buckets: 0.0, wander: 0.0 }
}

fn share(cuts: &[Option<usize>], wanted: impl Fn(&Option<usize>) -> bool) -> f64 {
    cuts.iter().filter(|cut| wanted(cut)).count() as f64 / SERIES as f64
}

#[test]
fn steady_series_are_accepted() {
    for length in LENGTHS {
        for (slow_buckets, wander, most_refused) in [(0.0, 0.0, 0.01), (0.05, 0.0, 0.03), (0.0, 0.6, 0.10)] {
            let refused = share(&cuts(length, &Server { level: |_| 1.0, slow_buckets, wander }), |cut| cut.is_none());
            assert!(refused <= most_refused, "{length} buckets, {slow_buckets} slow, {wander}: {refused} refused");
        }
    }
}

#[test]
fn a_step_in_the_first_half_is_cut_off() {
    for length in LENGTHS {
        for step in [0.1, 0.3, 0.45] {
            let found = cuts(length, &step_at(step));
            let least = (step * length as f64).floor() as usize;
            let kept_slow = share(&found, |cut| cut.is_some_and(|cut| cut < least));
            let refused = share(&found, |cut| cut.is_none());
            assert!(kept_slow <= 0.01 && refused <= 0.02, "{length}, {step}: {kept_slow} too early, {refused} refused");
        }
    }
}

#[test]
fn a_step_in_the_second_half_is_refused() {
    for (length, most_missed) in [(10, 0.25), (20, 0.04), (40, 0.0), (60, 0.0)] {
        for step in [0.6, 0.7] {
            let missed = share(&cuts(length, &step_at(step)), |cut| cut.is_some());
            assert!(missed <= most_missed, "{length} buckets, step at {step}: {missed} missed");
        }
    }
}

#[test]
fn steady_series_are_rarely_marked() {
    let mut generator = StdRng::seed_from_u64(1945);
    for length in LENGTHS {
        let marked = (0..SERIES).filter(|_| {
            let buckets: Vec<f64> = (0..length).map(|_| 1000.0 * (1.0 + noise(&mut generator))).collect();
            !steadiness(&buckets).unwrap().doubts(Limits::default()).is_empty()
        });
        let marked = marked.count() as f64 / SERIES as f64;
        assert!(marked <= 0.015, "{length} buckets: {marked} marked");
    }
}
