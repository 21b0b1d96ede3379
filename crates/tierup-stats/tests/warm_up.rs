//! When the warm-up of a server ends, for synthetic servers whose costs vary by 5 % from load to load.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tierup_stats::{Limits, has_settled, median, quantile, steadiness};

const SERIES: usize = 500;
const LENGTHS: [usize; 4] = [10, 20, 40, 60];
/// The simulated warm-up stops after this many loads in any case.
const MOST_LOADS: usize = 200;

/// A sum of twelve uniform deviates is near enough to normal here.
fn noise(generator: &mut StdRng) -> f64 {
    0.05 * ((0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0)
}

/// For many servers, how many loads the warm-up of each took. The benchmark, too, gives `least` loads if time allows.
fn loads(least: usize, cost: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut generator = StdRng::seed_from_u64(1997);
    let mut one = || {
        let mut costs = Vec::new();
        while costs.len() < MOST_LOADS && (costs.len() < least || has_settled(&costs) != Ok(true)) {
            costs.push(cost(costs.len()) * (1.0 + noise(&mut generator)));
        }
        costs.len() as f64
    };
    (0..SERIES).map(|_| one()).collect()
}

#[test]
fn the_warm_up_of_a_steady_server_ends_soon() {
    let found = loads(5, |_| 100.0);
    let (half, most) = (median(&found).unwrap(), quantile(&found, 0.95).unwrap());
    assert!(half <= 6.0 && most <= 12.0, "{half} loads, 95 % within {most}");
}

#[test]
fn the_warm_up_of_a_server_that_becomes_cheaper_ends_near_its_level() {
    // The cost starts at seven times its level, as with Node and Java; in `slowness` loads the excess falls to 1/e.
    for slowness in [1.0, 2.0, 4.0, 8.0] {
        let cost = |load: usize| 100.0 * (1.0 + 6.0 * (-(load as f64) / slowness).exp());
        let excess: Vec<f64> = loads(6, cost).iter().map(|loads| cost(*loads as usize) / 100.0 - 1.0).collect();
        let (half, most) = (median(&excess).unwrap(), quantile(&excess, 0.95).unwrap());
        assert!(half < 0.02 && most < 0.10, "{slowness}: {half} above its level, 95 % within {most}");
    }
}

#[test]
fn the_warm_up_of_a_server_that_is_compiled_late_does_not_end_before() {
    // The cost stays high for three loads, as nothing is compiled yet; then it falls in steps.
    let cost = |load: usize| match load {
        0..3 => 1000.0,
        3..5 => 600.0,
        5..8 => 400.0,
        _ => 250.0,
    };
    let early = loads(6, cost).iter().filter(|loads| **loads < 8.0).count() as f64 / SERIES as f64;
    assert!(early < 0.01, "{early} let go early");
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
