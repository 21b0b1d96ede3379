//! Whether a row was steady after its warm-up. In: its buckets of equal length. Out: how much it drifted, how uneven it
//! was, and whether the report should mark either.
//!
//! A mark is the only consequence: no value is left out of the result because it looks odd. An odd value is often the
//! truth about a server, and leaving values out makes every interval too narrow.

use crate::error::{Error, above_zero, check_samples};
use crate::quantiles::median;

/// How steady a series of buckets was; both numbers are shares of its level, 0.05 for 5 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// The change from the first to the last bucket along the trend. Missing where no trend stands out from the noise,
    /// which is always the case below six buckets.
    pub drift: Option<f64>,
    /// The coefficient of variation: the standard deviation of the buckets over their mean.
    pub spread: f64,
}

/// What a row may show without being marked, as shares of its level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    pub drift: f64,
    pub spread: f64,
}

impl Default for Limits {
    /// A drift of 5 %, the gain that a verdict turns on by default; a spread of 25 %, which is more than counting noise
    /// in buckets of thirty requests (1 / √30 is 18 %).
    fn default() -> Self {
        Limits { drift: 0.05, spread: 0.25 }
    }
}

/// A reason to mark a row as unsteady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// It became faster or slower throughout, by this share in total.
    Drifting(f64),
    /// Its buckets differ this much: their coefficient of variation.
    Uneven(f64),
}

impl Steadiness {
    /// The reasons that exceed the limits; empty for a steady row.
    pub fn doubts(&self, limits: Limits) -> Vec<Doubt> {
        let drifting = self.drift.filter(|drift| drift.abs() > limits.drift).map(Doubt::Drifting);
        let uneven = (self.spread > limits.spread).then_some(Doubt::Uneven(self.spread));
        drifting.into_iter().chain(uneven).collect()
    }
}

/// Looks at buckets of equal length, without those of the warm-up.
///
/// The trend is the median of the slopes between all pairs (Theil 1950; Sen 1968), which single slow buckets do not
/// bend. Whether it stands out is decided by the test of Mann (1945) and Kendall (1975) at 1 %.
///
/// # Errors
/// No buckets, a value that is not finite, or a mean or median that is not above 0.
pub fn steadiness(buckets: &[f64]) -> Result<Steadiness, Error> {
    check_samples(buckets)?;
    let level = above_zero("the median of the buckets", median(buckets)?)?;
    let drift = trend_stands_out(buckets).then(|| along_trend(buckets, level)).transpose()?;
    let count = buckets.len() as f64;
    let mean = above_zero("the mean of the buckets", buckets.iter().sum::<f64>() / count)?;
    let sum_of_squares: f64 = buckets.iter().map(|value| (value - mean).powi(2)).sum();
    let spread = (sum_of_squares / (count - 1.0).max(1.0)).sqrt() / mean;
    Ok(Steadiness { drift, spread })
}

/// The change from the first to the last bucket along the trend, whether or not it stands out from the noise, as a
/// share of their level; 0 for a single one.
///
/// # Errors
/// No buckets, a value that is not finite, or a median that is not above 0.
pub fn trend(buckets: &[f64]) -> Result<f64, Error> {
    check_samples(buckets)?;
    let level = above_zero("the median of the buckets", median(buckets)?)?;
    if buckets.len() < 2 { Ok(0.0) } else { along_trend(buckets, level) }
}

fn along_trend(buckets: &[f64], level: f64) -> Result<f64, Error> {
    let slopes: Vec<f64> = pairs(buckets).map(|(distance, change)| change / distance).collect();
    Ok(median(&slopes)? * (buckets.len() - 1) as f64 / level)
}

/// The distance in buckets and the change of value, for every bucket and each later one.
fn pairs(buckets: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    buckets.iter().enumerate().flat_map(move |(place, early)| {
        let later = buckets[place + 1..].iter();
        later.enumerate().map(move |(distance, late)| ((distance + 1) as f64, late - early))
    })
}

/// The test of Mann and Kendall with its correction for ties, in the normal approximation, two-sided at 1 %.
fn trend_stands_out(buckets: &[f64]) -> bool {
    const NORMAL_QUANTILE: f64 = 2.5758;
    let rises = pairs(buckets).filter(|(_, change)| *change > 0.0).count() as f64;
    let falls = pairs(buckets).filter(|(_, change)| *change < 0.0).count() as f64;
    let spread_of = |count: f64| count * (count - 1.0) * (2.0 * count + 5.0) / 18.0;
    let mut sorted = buckets.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|left, right| left == right).map(|equal| spread_of(equal.len() as f64)).sum();
    let deviation = (spread_of(buckets.len() as f64) - ties).sqrt();
    // Subtracts 1 as a continuity correction, as the count of rises and falls moves in whole steps.
    (rises - falls).abs() - 1.0 > NORMAL_QUANTILE * deviation
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wobble(place: usize) -> f64 {
        1.0 + 0.01 * (((place * 7) % 9) as f64 - 4.0)
    }

    fn check(count: usize, level: impl Fn(usize) -> f64) -> Steadiness {
        steadiness(&(0..count).map(|place| 1000.0 * level(place) * wobble(place)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_steady_series_has_no_doubts() {
        let found = check(30, |_| 1.0);
        assert_eq!(found.drift, None);
        assert!((0.02..0.03).contains(&found.spread), "{found:?}");
        assert_eq!(found.doubts(Limits::default()), []);
    }

    #[test]
    fn a_drift_is_measured_along_the_trend() {
        let found = check(30, |place| 1.0 + 0.2 * place as f64 / 29.0);
        // 20 % of the first level are 18 % of the middle one.
        assert!(found.drift.is_some_and(|drift| (0.16..0.20).contains(&drift)), "{found:?}");
        assert!(matches!(found.doubts(Limits::default())[..], [Doubt::Drifting(_)]));
        let slowing = check(30, |place| 1.2 - 0.2 * place as f64 / 29.0);
        assert!(slowing.drift.is_some_and(|drift| (-0.20..-0.16).contains(&drift)), "{slowing:?}");
    }

    #[test]
    fn the_trend_is_given_even_if_it_does_not_stand_out() {
        assert_eq!(trend(&[110.0, 100.0, 90.0]), Ok(-0.2));
        assert_eq!(trend(&[7.0]), Ok(0.0));
        assert_eq!(trend(&[]), Err(Error::Empty));
    }

    #[test]
    fn one_stalled_bucket_is_no_drift() {
        let found = check(30, |place| if place == 28 { 0.01 } else { 1.0 });
        assert_eq!(found.drift, None);
    }

    #[test]
    fn an_uneven_series_is_marked() {
        let found = check(30, |place| if place % 2 == 0 { 0.5 } else { 1.0 });
        assert!(matches!(found.doubts(Limits::default())[..], [Doubt::Uneven(spread)] if spread > 0.3), "{found:?}");
    }

    #[test]
    fn equal_buckets_have_no_drift_and_no_spread() {
        assert_eq!(steadiness(&[40.0; 8]), Ok(Steadiness { drift: None, spread: 0.0 }));
        assert_eq!(steadiness(&[40.0]), Ok(Steadiness { drift: None, spread: 0.0 }));
    }

    #[test]
    fn the_trend_test_agrees_with_its_formula() {
        // Six rising values: S = 15, variance 6 · 5 · 17 / 18 = 28.33, (15 - 1) / 5.323 = 2.63 > 2.5758.
        assert!(trend_stands_out(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        // Five: (10 - 1) / √16.67 = 2.20; and six with a tie: (14 - 1) / √27.33 = 2.49.
        assert!(!trend_stands_out(&[1.0, 2.0, 3.0, 4.0, 5.0]));
        assert!(!trend_stands_out(&[1.0, 2.0, 3.0, 4.0, 4.0, 6.0]));
        // Three ties among seven: (18 - 1) / √(44.33 - 3) = 2.64, which would be 2.55 without the correction.
        assert!(trend_stands_out(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0]));
    }

    #[test]
    fn buckets_without_a_level_are_refused() {
        assert_eq!(steadiness(&[]), Err(Error::Empty));
        assert!(matches!(steadiness(&[0.0, 0.0, 5.0]), Err(Error::NotAboveZero { .. })));
    }

    proptest! {
        #[test]
        fn reversing_time_reverses_the_drift(buckets in prop::collection::vec(1.0..1e5, 1..40)) {
            let forward = steadiness(&buckets).unwrap();
            let reversed: Vec<f64> = buckets.iter().rev().copied().collect();
            let backward = steadiness(&reversed).unwrap();
            prop_assert_eq!(forward.drift, backward.drift.map(|drift| -drift));
            prop_assert!((forward.spread - backward.spread).abs() < 1e-9);
        }
    }
}
