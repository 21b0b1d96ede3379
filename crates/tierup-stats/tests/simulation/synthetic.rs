//! Synthetic recordings, for use until there are real ones, and for true ratios that real ones cannot have. They are
//! made up: the kinds of noise that benchmarks show, in sizes that are merely plausible.

use std::f64::consts::TAU;

use rand::RngExt;
use rand::rngs::StdRng;
use tierup_stats::{Blocks, Confidence, mean};

use super::Run;

/// What moves a server's number from slice to slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noise {
    /// Deviation of the logarithm from process to process, caused by memory layout and the compiler's choices.
    pub(crate) between_processes: f64,
    /// Typical deviation of the logarithm from slice to slice.
    pub(crate) between_slices: f64,
    /// Deviation of the logarithm of `between_slices` from block to block: some blocks are noisier than others.
    pub(crate) unevenness: f64,
    /// How likely a slice is slow, 0..=1.
    pub(crate) slow_slices: f64,
    /// The factor, below 1, by which a slow slice's number is multiplied.
    pub(crate) slow_factor: f64,
}

/// A few per cent of noise, equal in all blocks.
pub(crate) const EVEN: Noise =
    Noise { between_processes: 0.03, between_slices: 0.03, unevenness: 0.0, slow_slices: 0.0, slow_factor: 1.0 };

/// [`EVEN`] on a machine that others use at times.
pub(crate) const UNEVEN: Noise = Noise { unevenness: 0.5, ..EVEN };

/// [`UNEVEN`] with one slice in twenty slowed down by a third or so.
pub(crate) const SLOW_SLICES: Noise = Noise { slow_slices: 0.05, slow_factor: 0.7, ..UNEVEN };

/// A recording of `blocks` blocks of `slices` slices around 1000 requests per second.
pub(crate) fn record(label: &str, noise: Noise, blocks: usize, slices: usize, generator: &mut StdRng) -> Run {
    let blocks = (0..blocks).map(|_| block(noise, slices, generator)).collect();
    Run { label: label.to_string(), blocks }
}

/// The hardest noise for few blocks: each has exactly one slow slice, and the row that is dealt it loses the block.
pub(crate) fn record_one_slow_slice(label: &str, blocks: usize, slices: usize, generator: &mut StdRng) -> Run {
    let mut run = record(label, UNEVEN, blocks, slices, generator);
    run.blocks.iter_mut().for_each(|block| block[slices / 2] *= 0.7);
    run
}

/// How often the interval of a single comparison covers the true ratio of a candidate with slow slices to a control
/// without. Their logarithms are skewed against each other, which no pairing undoes; the true ratio is the average over
/// 100,000 blocks.
pub(crate) fn coverage_of_unlike_rows(blocks: usize, slices: usize, simulations: u32, generator: &mut StdRng) -> f64 {
    let numbers = |noise: Noise, count: usize, generator: &mut StdRng| -> Vec<f64> {
        (0..count).map(|_| mean(&block(noise, slices, generator)).expect("a block has slices")).collect()
    };
    let long = 100_000;
    let logarithms: f64 = numbers(SLOW_SLICES, long, generator).iter().map(|number| number.ln()).sum();
    let control: f64 = numbers(UNEVEN, long, generator).iter().map(|number| number.ln()).sum();
    let truth = ((logarithms - control) / long as f64).exp();
    let covered = (0..simulations).filter(|_| {
        let candidate = numbers(SLOW_SLICES, blocks, generator);
        let control = numbers(UNEVEN, blocks, generator);
        let ratio = Blocks { candidate: &candidate, control: &control }
            .ratio(Confidence::default())
            .expect("made-up numbers are above 0");
        ratio.interval().expect("there are several blocks").contains(truth)
    });
    covered.count() as f64 / f64::from(simulations)
}

fn block(noise: Noise, slices: usize, generator: &mut StdRng) -> Vec<f64> {
    let level = 1000.0 * (noise.between_processes * normal(generator)).exp();
    let deviation = noise.between_slices * (noise.unevenness * normal(generator)).exp();
    let slice = |_| {
        let slow = if generator.random_bool(noise.slow_slices) { noise.slow_factor } else { 1.0 };
        level * slow * (deviation * normal(generator)).exp()
    };
    (0..slices).map(slice).collect()
}

/// A normal deviate (Box & Muller 1958).
fn normal(generator: &mut StdRng) -> f64 {
    let radius = (-2.0 * (1.0 - generator.random::<f64>()).ln()).sqrt();
    radius * (TAU * generator.random::<f64>()).cos()
}
