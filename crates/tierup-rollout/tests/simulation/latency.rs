//! How long answers take: log-normally distributed, as for most servers.

use std::time::Duration;

use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, LogNormal};
use tierup_rollout::Latencies;

use super::traffic::count;

/// The median in microseconds, and the standard deviation of the logarithm.
const MEDIAN: f64 = 20_000.0;
const SPREAD: f64 = 0.5;
/// The ratio of the bounds of the histogram's buckets.
const STEP: f64 = 1.05;
/// The quantile of the normal distribution above which the slowest 3 % of the answers lie.
const TAIL: f64 = 1.881;

/// The distribution of how long an answer takes, in steps of 5 %.
pub(super) struct Law {
    buckets: Vec<(Duration, f64)>,
    slower: f64,
}

impl Law {
    /// Answers that take `slower` times as long as an ordinary server's. The slowest 3 % take `slower_tail` times as
    /// long again.
    pub(super) fn new(slower: f64, slower_tail: f64) -> Law {
        let quantile = |micros: f64| (micros / MEDIAN / slower).ln() / SPREAD;
        let beyond = |micros: f64| match quantile(micros) {
            few if few <= TAIL => normal_tail(few),
            _ => normal_tail(quantile(micros / slower_tail).max(TAIL)),
        };
        // Steps are 5 % where limits lie, about the median and in the tail. Elsewhere eight of them are merged.
        let edge = |step: i32| 1_000.0 * STEP.powi(step);
        let mut buckets = Vec::new();
        let mut step = 0;
        while step < 180 {
            let is_near = (0.2..0.75).contains(&beyond(edge(step))) || beyond(edge(step + 8)) < 0.1;
            let next = step + if is_near { 1 } else { 8 };
            let middle = Duration::from_secs_f64((edge(step) * edge(next)).sqrt() / 1e6);
            buckets.push((middle, beyond(edge(step)) - beyond(edge(next))));
            step = next;
        }
        Law { buckets: buckets.into_iter().filter(|(_, part)| *part > 2e-6).collect(), slower }
    }

    /// The latencies of this many answers, each `slowed` times as long as usual, of a process that stood still for the
    /// part `stalled` of the time, for 0.3 s at once.
    pub(super) fn sample(&self, answers: f64, slowed: f64, stalled: f64, random: &mut StdRng) -> Latencies {
        let mut latencies = Latencies::default();
        let ordinary = answers * (1.0 - stalled);
        for (took, part) in &self.buckets {
            if slowed == 1.0 {
                latencies.add_many(*took, count(ordinary * part, random));
                continue;
            }
            // The answers are spread over two buckets of the histogram.
            let place = (took.as_secs_f64() * slowed * 1e6).ln() / STEP.ln() - 0.5;
            let upper = place - place.floor();
            for (next, part) in [(0.5, part * (1.0 - upper)), (1.5, part * upper)] {
                let took = Duration::from_secs_f64(STEP.powf(place.floor() + next) / 1e6);
                latencies.add_many(took, count(ordinary * part, random));
            }
        }
        if stalled > 0.0 {
            let law = LogNormal::new((MEDIAN * self.slower * slowed).ln(), SPREAD).expect("a standard deviation");
            for _ in 0..count(answers * stalled, random) {
                let waited = random.random_range(0.0..0.3);
                latencies.add(Duration::from_secs_f64(law.sample(random) / 1e6 + waited));
            }
        }
        latencies
    }
}

/// The probability of a value above `quantile` standard deviations (Abramowitz and Stegun, 26.2.17; error below 1e-7).
fn normal_tail(quantile: f64) -> f64 {
    if quantile < 0.0 {
        return 1.0 - normal_tail(-quantile);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * quantile);
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    (-quantile * quantile / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum
}
