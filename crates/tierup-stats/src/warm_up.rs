//! Where warm-up ends. In: what a server did in buckets of equal length since its start, such as requests per 100 ms.
//! Out: the bucket from which on it is steady, if it became steady.
//!
//! The end is where cutting makes the mean of the rest most certain: MSER, "marginal standard error rule" (White, "An
//! effective truncation heuristic for bias reduction in simulation output", 1997; Franklin & White, "Stationarity tests
//! and MSER-5", 2008). MSER-5 takes means of five observations first; a bucket counts many requests already, so it is
//! such a mean, and 10 to 60 buckets are too few to average further.
//!
//! Two changes make it hold on series so short. A single slow bucket (a collection of garbage, say) attracts the cut, so
//! the cut is sought among the medians of three neighbours. And MSER looks no further than the middle, so what is kept is
//! tested for a change of level. `tests/warm_up.rs` tells how often that errs on synthetic series.

use crate::error::{Error, check_samples};
use crate::quantiles::median;

/// The fewest buckets that [`warm_up`] takes.
pub const MIN_BUCKETS: usize = 10;

/// A change of level smaller than this share is not looked for: no verdict turns on it.
const SMALLEST_CHANGE: f64 = 0.02;

/// A change of level counts when it exceeds this many standard errors. Three places are looked at, and buckets resemble
/// their neighbours, which the standard error does not know: with the customary three, one series in three that only
/// wanders (autocorrelation 0.6, 60 buckets) would be refused.
const STANDARD_ERRORS: f64 = 5.0;

/// What was seen of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmUp {
    /// The first bucket to keep, counted from 0, at most half of all. Missing where the series had not become steady by
    /// its middle: then it was too short, or the server never is steady.
    pub steady_from: Option<usize>,
}

/// Finds the end of warm-up in at least [`MIN_BUCKETS`] buckets of equal length. A bucket should hold some thirty
/// requests or more; longer buckets are better than emptier ones.
///
/// # Errors
/// Too few buckets, or a value that is not finite.
pub fn warm_up(buckets: &[f64]) -> Result<WarmUp, Error> {
    check_samples(buckets)?;
    if buckets.len() < MIN_BUCKETS {
        return Err(Error::TooFewBuckets { found: buckets.len(), needed: MIN_BUCKETS });
    }
    let cut = most_certain_cut(&medians_of_three(buckets)?);
    // Unsmoothed: medians of three repeat their neighbours, which hides the noise that a change must exceed.
    let kept = &buckets[cut..];
    for quarters in 1..=3 {
        if level_changes(kept, kept.len() * quarters / 4)? {
            return Ok(WarmUp { steady_from: None });
        }
    }
    Ok(WarmUp { steady_from: Some(cut) })
}

/// Each inner value replaced by the median of itself and its neighbours (Tukey, "Exploratory Data Analysis", 1977).
fn medians_of_three(buckets: &[f64]) -> Result<Vec<f64>, Error> {
    let mut smooth = buckets.to_vec();
    for (place, window) in buckets.windows(3).enumerate() {
        smooth[place + 1] = median(window)?;
    }
    Ok(smooth)
}

/// The cut in the first half that minimises MSER's statistic: the variance of the mean of the rest, as it would be if
/// its values were independent.
fn most_certain_cut(series: &[f64]) -> usize {
    let statistic = |cut: usize| {
        let kept = &series[cut..];
        let count = kept.len() as f64;
        let mean = kept.iter().sum::<f64>() / count;
        kept.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count * count)
    };
    let mut best = (0, statistic(0));
    for cut in 1..=series.len() / 2 {
        let found = statistic(cut);
        if found < best.1 {
            best = (cut, found);
        }
    }
    best.0
}

/// Whether the median before `split` differs from the median after it, by more than the noise between neighbours
/// explains and by enough to matter.
fn level_changes(series: &[f64], split: usize) -> Result<bool, Error> {
    let (before, after) = series.split_at(split);
    let change = (median(before)? - median(after)?).abs();
    let steps: Vec<f64> = series.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    // For normal noise of deviation s, the median of |difference of two values| is 0.6745 √2 s = 0.9539 s, and the
    // standard error of a median of n values is √(π/2) s / √n.
    let noise = median(&steps)? / 0.9539;
    let share = 1.0 / before.len() as f64 + 1.0 / after.len() as f64;
    let standard_error = noise * (std::f64::consts::FRAC_PI_2 * share).sqrt();
    Ok(change > STANDARD_ERRORS * standard_error && change > SMALLEST_CHANGE * median(series)?.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A repeatable wobble of about ± 4 %, without a trend.
    fn wobble(place: usize) -> f64 {
        1.0 + 0.01 * (((place * 7) % 9) as f64 - 4.0)
    }

    fn series(count: usize, level: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..count).map(|place| 1000.0 * level(place) * wobble(place)).collect()
    }

    fn steady_from(buckets: &[f64]) -> Option<usize> {
        warm_up(buckets).unwrap().steady_from
    }

    #[test]
    fn finds_the_end_of_a_slow_start() {
        for (count, slow) in [(10, 3), (20, 6), (40, 15), (60, 25)] {
            let found = steady_from(&series(count, |place| if place < slow { 0.5 } else { 1.0 }));
            assert!(found.is_some_and(|cut| (slow..=slow + 2).contains(&cut)), "{slow} slow of {count}: {found:?}");
        }
    }

    #[test]
    fn finds_the_end_of_a_gradual_start() {
        let found = steady_from(&series(40, |place| 1.0 - 0.6 * (-(place as f64) / 4.0).exp()));
        assert!(found.is_some_and(|cut| (5..=20).contains(&cut)), "{found:?}");
    }

    #[test]
    fn keeps_most_of_a_series_without_warm_up() {
        for count in [20, 40, 60] {
            let found = steady_from(&series(count, |_| 1.0));
            assert!(found.is_some_and(|cut| cut <= count / 4), "{count}: {found:?}");
        }
        assert_eq!(steady_from(&[500.0; 12]), Some(0));
    }

    #[test]
    fn a_single_slow_bucket_is_not_warm_up() {
        for slow in [3, 9, 12, 27] {
            let found = steady_from(&series(30, |place| if place == slow { 0.3 } else { 1.0 }));
            assert!(found.is_some_and(|cut| cut <= 7), "bucket {slow}: {found:?}");
        }
    }

    #[test]
    fn a_late_step_is_not_steady() {
        for (count, step) in [(20, 13), (30, 24), (60, 40), (60, 50)] {
            assert_eq!(
                steady_from(&series(count, |place| if place < step { 0.6 } else { 1.0 })),
                None,
                "{step} of {count}"
            );
        }
        assert_eq!(steady_from(&series(40, |place| 1.0 + 0.05 * place as f64)), None, "rising to the end");
    }

    #[test]
    fn a_change_too_small_to_matter_is_none() {
        // Without any noise, every change is beyond the noise.
        let buckets: Vec<f64> = (0..20).map(|place| if place < 15 { 1000.0 } else { 1010.0 }).collect();
        assert_eq!(steady_from(&buckets), Some(0));
    }

    #[test]
    fn refuses_too_few_buckets() {
        assert_eq!(warm_up(&[1.0; 9]), Err(Error::TooFewBuckets { found: 9, needed: 10 }));
        assert!(matches!(warm_up(&[f64::INFINITY; 20]), Err(Error::NotFinite { .. })));
    }

    proptest! {
        #[test]
        fn keeps_half_at_least_whatever_the_unit(buckets in prop::collection::vec(0.0..1e5, 10..60)) {
            let found = steady_from(&buckets);
            prop_assert!(found.is_none_or(|cut| cut <= buckets.len() / 2));
            let quadrupled: Vec<f64> = buckets.iter().map(|value| value * 4.0).collect();
            prop_assert_eq!(found, steady_from(&quadrupled));
        }
    }
}
