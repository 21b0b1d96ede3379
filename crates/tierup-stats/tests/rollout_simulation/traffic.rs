//! What goes on while a rollout runs: load that drifts, bursts of failures, stalls, cold starts, slow answers.

use rand::RngExt;
use rand::rngs::StdRng;
use rand_distr::{Binomial, Distribution, Poisson};

use super::BLOCK_SECONDS;
use super::worlds::World;

/// One answer in a hundred of an ordinary process is slow.
const SLOW: f64 = 0.01;
/// Its quantile of the normal distribution. Latencies are log-normal with this standard deviation of their logarithm.
const SLOW_QUANTILE: f64 = 2.326;
const SPREAD: f64 = 0.5;

/// What holds in one block.
pub(super) struct Moment {
    /// Factors of the load, and of the rate of failures.
    pub(super) load: f64,
    pub(super) failures: f64,
    pub(super) candidate: Trouble,
    pub(super) twin: Trouble,
}

/// What one process goes through in one block.
#[derive(Clone, Copy)]
pub(super) struct Trouble {
    /// The part of the block for which it stood still.
    stalled: f64,
    is_cold: bool,
}

pub(super) struct Weather {
    drifts: bool,
    stalls: bool,
    /// Seconds for which the candidate and its twin are cold.
    cold: [f64; 2],
    /// Blocks that the present burst of failures still lasts.
    burst: usize,
}

impl Weather {
    pub(super) fn new(world: &World, random: &mut StdRng) -> Self {
        let cold = [(); 2].map(|()| if world.cold { random.random_range(45.0..75.0) } else { 0.0 });
        Weather { drifts: world.drifts, stalls: world.stalls, cold, burst: 0 }
    }

    pub(super) fn at(&mut self, block: usize, random: &mut StdRng) -> Moment {
        let (mut load, mut failures) = (1.0, 1.0);
        if self.drifts {
            // A day pressed into half an hour.
            load = 1.0 + 0.8 * (block as f64 * BLOCK_SECONDS / 1800.0 * std::f64::consts::TAU).sin();
            // A minute of thirty times the failures, every ten minutes.
            if self.burst == 0 && random.random_bool(BLOCK_SECONDS / 600.0) {
                self.burst = 12;
            }
            if self.burst > 0 {
                self.burst -= 1;
                failures = 30.0;
            }
        }
        let [candidate, twin] = self.cold.map(|cold| Trouble {
            stalled: if self.stalls && random.random_bool(BLOCK_SECONDS / 60.0) { 0.3 / BLOCK_SECONDS } else { 0.0 },
            is_cold: (block as f64 * BLOCK_SECONDS) < cold,
        });
        Moment { load, failures, candidate, twin }
    }
}

/// How many of something came, of which `expected` come on average.
pub(super) fn count(expected: f64, random: &mut StdRng) -> u64 {
    match Poisson::new(expected) {
        Ok(distribution) => distribution.sample(random) as u64,
        Err(_) => 0,
    }
}

/// How many of `answers` are slow, of a process that takes `slower` times as long as an ordinary one.
pub(super) fn slow_answers(answers: u64, slower: f64, trouble: Trouble, random: &mut StdRng) -> u64 {
    // Cold code takes four times as long.
    let slower = if trouble.is_cold { slower * 4.0 } else { slower };
    let slow = if slower == 1.0 { SLOW } else { normal_tail(SLOW_QUANTILE - slower.ln() / SPREAD) };
    let slow = slow + (1.0 - slow) * trouble.stalled;
    Binomial::new(answers, slow).expect("a probability").sample(random)
}

/// The probability of more than `quantile` standard deviations (Abramowitz and Stegun, 26.2.17; error below 1e-7).
fn normal_tail(quantile: f64) -> f64 {
    if quantile < 0.0 {
        return 1.0 - normal_tail(-quantile);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * quantile);
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    (-quantile * quantile / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum
}
