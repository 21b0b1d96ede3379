//! Means with confidence intervals. In: values that are independent of each other, such as one per block. Out: their
//! mean, and the interval that Student's t distribution gives it.

use std::num::NonZeroU32;

use crate::error::{Error, above_zero, check_samples};
use crate::student::two_sided_t;

/// The confidence level of all intervals of a report together.
///
/// With six comparisons of 95 % each, one in four reports would contain a false one. So the error is divided by the
/// number of comparisons (Bonferroni; Dunn, "Multiple comparisons among means", 1961): all intervals of a report hold
/// at once with at least [`level`](Confidence::level). Šidák's division (1967) gains about 1 % of width, but supposes
/// comparisons that are independent or share one estimate of variance; ours share the control and have an estimate
/// each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    level: f64,
    comparisons: u32,
}

impl Confidence {
    /// `level` is a probability, such as 0.95, for a single comparison.
    ///
    /// # Errors
    /// A level outside 0..1, both ends excluded.
    pub fn new(level: f64) -> Result<Self, Error> {
        if level > 0.0 && level < 1.0 { Ok(Confidence { level, comparisons: 1 }) } else { Err(Error::Level(level)) }
    }

    /// The same level for `comparisons` together: each interval becomes wider. 0 counts as 1, so that a report of the
    /// control alone needs no special case.
    #[must_use]
    pub fn shared_by(self, comparisons: u32) -> Self {
        Confidence { comparisons: comparisons.max(1), ..self }
    }

    /// The probability that all intervals hold, 0..1.
    pub fn level(self) -> f64 {
        self.level
    }

    /// How many comparisons share the level.
    pub fn comparisons(self) -> u32 {
        self.comparisons
    }

    /// The level that each interval is computed for, 0..1.
    pub fn level_of_each(self) -> f64 {
        1.0 - (1.0 - self.level) / f64::from(self.comparisons)
    }
}

impl Default for Confidence {
    /// 95 %, one comparison.
    fn default() -> Self {
        Confidence { level: 0.95, comparisons: 1 }
    }
}

/// A range of values, `low <= high`, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Applies an increasing function to both ends.
    pub(crate) fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Interval { low: rising(self.low), high: rising(self.high) }
    }
}

/// A mean and how well it is known, in the unit of the values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// Missing for a single value, because nothing is known about its spread.
    pub interval: Option<Interval>,
    /// How many values it rests on.
    pub count: usize,
}

impl Estimate {
    /// Half the interval's width, in the unit of the values.
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|interval| (interval.high - interval.low) / 2.0)
    }
}

/// The arithmetic mean. It reduces slices to the one number of their block.
///
/// # Errors
/// No values, or a value that is not finite.
pub fn mean(samples: &[f64]) -> Result<f64, Error> {
    check_samples(samples)?;
    let count = samples.len() as f64;
    Ok(samples.iter().map(|value| value / count).sum())
}

/// The mean of `samples` with the interval of Student's t: `mean ± t s / √n`. The samples must be independent of each
/// other (blocks are, slices within a block are not).
///
/// # Errors
/// No values, or a value that is not finite.
pub fn mean_estimate(samples: &[f64], confidence: Confidence) -> Result<Estimate, Error> {
    let value = mean(samples)?;
    let count = samples.len();
    let degrees_of_freedom = NonZeroU32::new(u32::try_from(count - 1).unwrap_or(u32::MAX));
    let interval = match degrees_of_freedom {
        None => None,
        Some(degrees) => {
            let half_width = two_sided_t(degrees, confidence.level_of_each())? * standard_error(samples, value);
            Some(Interval { low: value - half_width, high: value + half_width })
        }
    };
    Ok(Estimate { value, interval, count })
}

/// The geometric mean of samples above 0, with Student's t on their logarithms. Times and costs vary by factors, so the
/// interval of their arithmetic mean could reach below 0, although no time or cost can.
///
/// # Errors
/// No values, or one that is not a finite number above 0.
pub fn positive_mean_estimate(samples: &[f64], confidence: Confidence) -> Result<Estimate, Error> {
    check_samples(samples)?;
    let logarithms = samples.iter().map(|value| above_zero("a sample", *value).map(f64::ln));
    let Estimate { value, interval, count } = mean_estimate(&logarithms.collect::<Result<Vec<_>, _>>()?, confidence)?;
    Ok(Estimate { value: value.exp(), interval: interval.map(|interval| interval.map(f64::exp)), count })
}

/// The standard error of the mean of at least two samples.
fn standard_error(samples: &[f64], mean: f64) -> f64 {
    let count = samples.len() as f64;
    let sum_of_squares: f64 = samples.iter().map(|value| (value - mean).powi(2)).sum();
    (sum_of_squares / (count - 1.0) / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-6
    }

    #[test]
    fn agrees_with_students_own_data() {
        // Hours of sleep that one soporific gained over another (Student 1908); expected figures from R's t.test.
        let gained = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let estimate = mean_estimate(&gained, Confidence::default()).unwrap();
        let interval = estimate.interval.unwrap();
        assert!(close(estimate.value, 1.58) && estimate.count == 10, "{estimate:?}");
        assert!(close(interval.low, 0.7001142) && close(interval.high, 2.4598858), "{interval:?}");
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(mean_estimate(&[3.0], Confidence::default()), Ok(Estimate { value: 3.0, interval: None, count: 1 }));
        assert_eq!(mean_estimate(&[], Confidence::default()), Err(Error::Empty));
    }

    #[test]
    fn values_above_zero_have_an_interval_above_zero() {
        // Times of calls of a function in three blocks on a noisy machine, in microseconds.
        let times = [10.2, 12.5, 91.8];
        assert!(mean_estimate(&times, Confidence::default()).unwrap().interval.unwrap().low < 0.0);
        let estimate = positive_mean_estimate(&times, Confidence::default()).unwrap();
        assert!(close(estimate.value, (10.2_f64 * 12.5 * 91.8).cbrt()), "{estimate:?}");
        let Interval { low, high } = estimate.interval.unwrap();
        assert!(low > 0.0 && close(low * high, estimate.value.powi(2)), "{estimate:?}");
        assert!(matches!(positive_mean_estimate(&[1.0, 0.0], Confidence::default()), Err(Error::NotAboveZero { .. })));
        assert_eq!(positive_mean_estimate(&[], Confidence::default()), Err(Error::Empty));
    }

    #[test]
    fn equal_values_have_an_interval_without_width() {
        let estimate = mean_estimate(&[4.0, 4.0, 4.0], Confidence::default()).unwrap();
        assert_eq!(estimate.interval, Some(Interval { low: 4.0, high: 4.0 }));
    }

    #[test]
    fn error_is_divided_among_comparisons() {
        let six = Confidence::default().shared_by(6);
        assert!(close(six.level_of_each(), 1.0 - 0.05 / 6.0));
        assert_eq!(Confidence::default().shared_by(0), Confidence::default());
        assert_eq!(Confidence::new(95.0), Err(Error::Level(95.0)));
    }

    proptest! {
        #[test]
        fn more_comparisons_widen(samples in prop::collection::vec(-1e6..1e6, 2..20), comparisons in 1u32..30) {
            let few = mean_estimate(&samples, Confidence::default().shared_by(comparisons)).unwrap();
            let many = mean_estimate(&samples, Confidence::default().shared_by(comparisons + 1)).unwrap();
            prop_assert_eq!(few.value, many.value);
            prop_assert!(few.half_width() <= many.half_width());
            prop_assert!(few.interval.unwrap().contains(few.value));
        }

        #[test]
        fn units_do_not_matter(samples in prop::collection::vec(-1e6..1e6, 2..20)) {
            // A factor of two is exact in floating point, so the answer must be exactly twice as large.
            let doubled: Vec<f64> = samples.iter().map(|value| value * 2.0).collect();
            let once = mean_estimate(&samples, Confidence::default()).unwrap();
            let twice = mean_estimate(&doubled, Confidence::default()).unwrap();
            prop_assert_eq!(once.value * 2.0, twice.value);
            prop_assert_eq!(once.interval.unwrap().map(|end| end * 2.0), twice.interval.unwrap());
        }
    }
}
