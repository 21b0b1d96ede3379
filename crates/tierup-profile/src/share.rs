//! A part of the CPU, with an interval over blocks. In: its seconds in each block, and the seconds of everything in
//! each block. Out: a [`Share`].

use tierup_stats::{Confidence, mean_estimate};

/// A share of all CPU, 0..=1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub value: f64,
    /// Student's t over blocks, cut to 0..=1. Missing if there is only one block.
    pub interval: Option<(f64, f64)>,
}

impl Share {
    /// The share of `part` in `whole`, block by block.
    ///
    /// The ratio of the sums, with the interval of its linearised residuals (Cochran, "Sampling Techniques", 1977,
    /// 6.3), so that a block counts by its length. The samples in a block are not independent, so the binomial error of
    /// all samples would be too small.
    pub(crate) fn new(part: &[f64], whole: &[f64]) -> Share {
        let blocks: Vec<(f64, f64)> =
            part.iter().zip(whole).filter(|(_, whole)| **whole > 0.0).map(|(part, whole)| (*part, *whole)).collect();
        let all: f64 = blocks.iter().map(|(_, whole)| whole).sum();
        if all <= 0.0 {
            return Share { value: 0.0, interval: None };
        }
        let value = blocks.iter().map(|(part, _)| part).sum::<f64>() / all;
        let length = all / blocks.len() as f64;
        let linearised: Vec<f64> = blocks.iter().map(|(part, whole)| value + (part - value * whole) / length).collect();
        let interval = mean_estimate(&linearised, Confidence::default()).ok().and_then(|estimate| estimate.interval);
        Share { value, interval: interval.map(|ends| (ends.low.clamp(0.0, 1.0), ends.high.clamp(0.0, 1.0))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_blocks_give_a_mean_with_students_interval() {
        // Shares 0.5, 0.6, 0.55, 0.65, 0.7: mean 0.6, standard error 0.0353553, t of 4 degrees 2.776445.
        let share = Share::new(&[5.0, 6.0, 5.5, 6.5, 7.0], &[10.0; 5]);
        let (low, high) = share.interval.unwrap();
        assert!((share.value - 0.6).abs() < 1e-12);
        assert!((low - 0.501837).abs() < 1e-6 && (high - 0.698163).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn a_block_counts_by_its_length_and_an_empty_one_not_at_all() {
        let share = Share::new(&[9.0, 0.5, 0.0], &[9.0, 1.0, 0.0]);
        assert!((share.value - 0.95).abs() < 1e-12);
        let (low, high) = share.interval.unwrap();
        assert!(low == 0.0 && high == 1.0);
        assert_eq!(Share::new(&[3.0], &[4.0]), Share { value: 0.75, interval: None });
        assert_eq!(Share::new(&[0.0], &[0.0]), Share { value: 0.0, interval: None });
    }
}
