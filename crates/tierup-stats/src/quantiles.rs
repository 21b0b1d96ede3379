//! Quantiles of a handful of values. In: unsorted values. Out: one value, in their unit.
//!
//! These are for tens of values, such as blocks or slices. Latencies of millions of requests belong in a histogram.

use crate::error::{Error, check_samples};

/// The quantile of `samples` at `probability` (0 is the least value, 0.5 the median, 1 the greatest), with linear
/// interpolation between neighbours: type 7 of Hyndman & Fan, "Sample quantiles in statistical packages" (1996), which
/// is also the default of R, NumPy and Excel.
///
/// # Errors
/// No values, a value that is not finite, or a probability outside 0..=1.
pub fn quantile(samples: &[f64], probability: f64) -> Result<f64, Error> {
    check_samples(samples)?;
    if !(0.0..=1.0).contains(&probability) {
        return Err(Error::Probability(probability));
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = (sorted.len() - 1) as f64 * probability;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    // Not `below + (above - below) * part`: the difference of two finite values can overflow.
    let part = position.fract();
    Ok((below * (1.0 - part) + above * part).clamp(below, above))
}

/// The middle value, or the mean of the two middle values.
///
/// # Errors
/// No values, or a value that is not finite.
pub fn median(samples: &[f64]) -> Result<f64, Error> {
    quantile(samples, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_r() {
        // R 4: quantile(c(15, 20, 35, 40, 50), c(0, .05, .3, .4, .5, 1), type = 7)
        let samples = [35.0, 15.0, 50.0, 40.0, 20.0];
        for (probability, expected) in [(0.0, 15.0), (0.05, 16.0), (0.3, 23.0), (0.4, 29.0), (0.5, 35.0), (1.0, 50.0)] {
            let found = quantile(&samples, probability).unwrap();
            assert!((found - expected).abs() < 1e-12, "{probability}: {found}, not {expected}");
        }
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Ok(2.5));
        assert_eq!(median(&[7.0]), Ok(7.0));
    }

    #[test]
    fn values_without_a_quantile_are_refused() {
        assert_eq!(median(&[]), Err(Error::Empty));
        assert_eq!(quantile(&[1.0], 95.0), Err(Error::Probability(95.0)));
        assert!(matches!(quantile(&[1.0], f64::NAN), Err(Error::Probability(_))));
        assert!(matches!(median(&[1.0, f64::NAN]), Err(Error::NotFinite { place: 1, .. })));
    }

    proptest! {
        #[test]
        fn quantiles_rise_with_the_probability_and_stay_within_the_samples(
            samples in prop::collection::vec(-1e300..1e300, 1..40),
            probabilities in (0.0..=1.0f64, 0.0..=1.0f64),
        ) {
            let (low, high) = (probabilities.0.min(probabilities.1), probabilities.0.max(probabilities.1));
            let (low, high) = (quantile(&samples, low).unwrap(), quantile(&samples, high).unwrap());
            prop_assert!(low <= high);
            prop_assert!(samples.iter().any(|value| *value <= low) && samples.iter().any(|value| *value >= high));
        }

        #[test]
        fn order_does_not_matter(samples in prop::collection::vec(-1e9..1e9, 1..40), probability in 0.0..=1.0) {
            let reversed: Vec<f64> = samples.iter().rev().copied().collect();
            prop_assert_eq!(quantile(&samples, probability), quantile(&reversed, probability));
        }
    }
}
