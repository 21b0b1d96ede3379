//! Quantiles of Student's t distribution (Student, "The probable error of a mean", 1908).
//!
//! In: degrees of freedom and a probability. Out: how many standard errors an interval reaches to either side.
//!
//! For whole degrees of freedom the distribution has a finite closed form (Abramowitz & Stegun, "Handbook of
//! Mathematical Functions", 26.7.3 and 26.7.4), and a count of blocks is a whole number. A library for real degrees of
//! freedom would save no line here and is less exact: statrs 0.19.1 is off by 1e-4 at 1,000,000 degrees.

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroU32;

use crate::error::Error;

/// The `t` for which a variable of Student's distribution lies between `-t` and `t` with probability `level`.
///
/// Its relative error is at most 1e-9 for levels up to 0.999999. Its time grows with the degrees of freedom: a few
/// microseconds for the count of blocks in a benchmark, milliseconds for 100,000.
///
/// # Errors
/// A level outside 0..1, both ends excluded.
pub fn two_sided_t(degrees_of_freedom: NonZeroU32, level: f64) -> Result<f64, Error> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Level(level));
    }
    let mut high = 1.0;
    while probability_within(high, degrees_of_freedom) < level {
        high *= 2.0;
    }
    let mut low = 0.0;
    // Bisection until the two ends are neighbours among the floating-point numbers.
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Ok(high);
        }
        if probability_within(middle, degrees_of_freedom) < level { low = middle } else { high = middle }
    }
}

/// The probability that a variable of Student's distribution lies between `-t` and `t`: `A(t|ν)` of the closed form.
///
/// Both series add terms up to the power `ν - 2` of the cosine. A term follows from the one before by the factor
/// `cosine² (order - 1) / order`, where the order runs over 3, 5, … ν for odd and over 2, 4, … ν for even ν.
fn probability_within(t: f64, degrees_of_freedom: NonZeroU32) -> f64 {
    let degrees = degrees_of_freedom.get();
    let angle = (t / f64::from(degrees).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = !degrees.is_multiple_of(2);
    let (mut term, first_order) = if is_odd { (cosine, 3) } else { (1.0, 2) };
    let mut sum = 0.0;
    for order in (first_order..=degrees).step_by(2).map(f64::from) {
        sum += term;
        term *= cosine * cosine * (order - 1.0) / order;
    }
    if is_odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn degrees(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    #[test]
    fn agrees_with_tables() {
        // Percentage points of t as printed to three places in every table, to nine by R's qt((1 + level) / 2,
        // degrees).
        for (count, level, expected) in [
            (1, 0.90, 6.313751515),
            (1, 0.95, 12.706204736),
            (1, 0.99, 63.656741163),
            (2, 0.95, 4.302652730),
            (2, 0.99, 9.924843201),
            (3, 0.95, 3.182446305),
            (4, 0.95, 2.776445105),
            (4, 0.99, 4.604094871),
            (5, 0.95, 2.570581836),
            (9, 0.95, 2.262157163),
            (30, 0.95, 2.042272456),
            (100, 0.99, 2.625890521),
            (1000, 0.95, 1.962339081),
        ] {
            let found = two_sided_t(degrees(count), level).unwrap();
            assert!((found - expected).abs() < 1e-8, "{count} degrees, {level}: {found}, not {expected}");
        }
    }

    #[test]
    fn comes_near_the_normal_distribution() {
        // Φ⁻¹(0.975) = 1.959963985; the first term of the expansion of t in 1/ν (Abramowitz & Stegun 26.7.5) adds
        // 2.372e-5.
        let found = two_sided_t(degrees(100_000), 0.95).unwrap();
        assert!((found - (1.959963985 + 2.372e-5)).abs() < 1e-8, "{found}");
    }

    #[test]
    fn refuses_impossible_levels() {
        for level in [0.0, 1.0, -1.0, 95.0, f64::NAN] {
            assert!(matches!(two_sided_t(degrees(4), level), Err(Error::Level(_))), "{level}");
        }
    }

    /// The density of Student's distribution, up to its constant.
    fn unscaled_density(t: f64, degrees: u32) -> f64 {
        (1.0 + t * t / f64::from(degrees)).powf(-(f64::from(degrees) + 1.0) / 2.0)
    }

    /// Simpson's rule over `angle`, with `t = √ν tan(angle)`, which makes the infinite range finite.
    fn integral(until_angle: f64, degrees: u32) -> f64 {
        let steps = 2000;
        let width = until_angle / f64::from(steps);
        let root = f64::from(degrees).sqrt();
        let height = |step: i32| {
            let angle = f64::from(step) * width;
            unscaled_density(root * angle.tan(), degrees) * root / angle.cos().powi(2)
        };
        let weight = |step: i32| if step == 0 || step == steps { 1.0 } else { f64::from(2 + step % 2 * 2) };
        (0..=steps).map(|step| weight(step) * height(step)).sum::<f64>() * width / 3.0
    }

    proptest! {
        #[test]
        fn agrees_with_the_integral_of_the_density(count in 1u32..60, level in 0.01..0.999) {
            let t = two_sided_t(degrees(count), level).unwrap();
            let part = integral((t / f64::from(count).sqrt()).atan(), count);
            let whole = integral(std::f64::consts::FRAC_PI_2 - 1e-9, count);
            prop_assert!((part / whole - level).abs() < 1e-6, "{} instead of {}", part / whole, level);
        }

        #[test]
        fn narrows_with_degrees_and_widens_with_the_level(count in 1u32..200, level in 0.01..0.99) {
            let here = two_sided_t(degrees(count), level).unwrap();
            prop_assert!(two_sided_t(degrees(count + 1), level).unwrap() < here);
            prop_assert!(two_sided_t(degrees(count), level + 0.005).unwrap() > here);
        }
    }
}
