//! Turns a ratio into a verdict. In: a ratio with its interval, which direction is good, how large a gain is worth a
//! rewrite. Out: a [`Finding`], which treats both rows alike, and the [`Verdict`] on the candidate that follows.
//!
//! The gain is the ratio if more is better, and 1 / ratio if less is better. The threshold T and its inverse divide
//! gains into worse, no different and better; 1 divides them into losses and gains. The finding says where the *whole*
//! interval lies:
//!
//! | interval of the gain, low … high | [`Finding`] | with the rows swapped | [`Verdict`] |
//! |---|---|---|---|
//! | low ≥ T | `Better` | `Worse` | `Pays` |
//! | 1/T < low, high < T | `NoDifference` | `NoDifference` | `NoDifference` |
//! | 1 < low < T ≤ high | `Ahead` | `Behind` | `CannotTell` |
//! | 1/T < low ≤ 1, T ≤ high | `NotWorse` | `NotBetter` | `CannotTell` |
//! | low ≤ 1/T, T ≤ high; or no interval | `Unknown` | `Unknown` | `CannotTell` |
//! | low ≤ 1/T, 1 ≤ high < T | `NotBetter` | `NotWorse` | `CannotTell` |
//! | low ≤ 1/T < high < 1 | `Behind` | `Ahead` | `DoesNotPay` |
//! | high ≤ 1/T | `Worse` | `Better` | `DoesNotPay` |
//!
//! The absence of evidence is never "no difference": that needs an interval narrow enough to lie within (1/T, T), which
//! is a test of equivalence (two one-sided tests; Schuirmann 1987). "Does not pay" needs evidence too, of a loss: an
//! interval that contains 1 and reaches beyond the limits is no evidence against the candidate.

use crate::error::Error;
use crate::interval::Interval;
use crate::paired::Ratio;

/// Which direction is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Throughput.
    Higher,
    /// Cost: CPU time per request, latency, memory, bytes.
    Lower,
}

/// Where the gain of the candidate over the control lies, as far as its interval shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finding {
    /// Better, by at least the threshold.
    Better,
    /// Better; only more blocks could show whether by the threshold.
    Ahead,
    /// No different or better; only more blocks could show which.
    NotWorse,
    /// Any difference is smaller than the threshold.
    NoDifference,
    /// No different or worse; only more blocks could show which.
    NotBetter,
    /// Worse; only more blocks could show whether by the threshold.
    Behind,
    /// Worse, by at least the threshold.
    Worse,
    /// Could be better and could be worse.
    Unknown,
}

/// The verdict on the candidate, as the user sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The gain reaches the threshold.
    Pays,
    /// The gain stays below the threshold, and the loss below its inverse.
    NoDifference,
    /// The candidate is a loss, possibly one beyond the inverse of the threshold.
    DoesNotPay,
    /// The measurements do not decide between the other verdicts.
    CannotTell,
}

/// The smallest gain that is worth a rewrite, as a factor above 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    factor: f64,
}

impl Threshold {
    /// # Errors
    /// A factor that is not a finite number above 1. A factor of 1 would call every difference worth a rewrite, and
    /// could never find that two rows do not differ.
    pub fn new(factor: f64) -> Result<Self, Error> {
        if factor > 1.0 && factor.is_finite() { Ok(Threshold { factor }) } else { Err(Error::Threshold(factor)) }
    }

    /// Above 1: 1.05 asks for a gain of 5 %.
    pub fn factor(self) -> f64 {
        self.factor
    }

    /// Where the gain of the ratio's candidate lies.
    pub fn finding(self, ratio: &Ratio, better: Better) -> Finding {
        // Compared as logarithms, where swapping the rows and inverting the threshold only change signs: the finding is
        // mirrored exactly, at the limits too.
        let Some(interval) = ratio.logarithm().interval else { return Finding::Unknown };
        let gain = match better {
            Better::Higher => interval,
            Better::Lower => Interval { low: -interval.high, high: -interval.low },
        };
        match (self.zone(gain.low), self.zone(gain.high)) {
            (Zone::Above, _) => Finding::Better,
            (_, Zone::Below) => Finding::Worse,
            (Zone::Between, Zone::Between) => Finding::NoDifference,
            (Zone::Between, Zone::Above) if gain.low > 0.0 => Finding::Ahead,
            (Zone::Between, Zone::Above) => Finding::NotWorse,
            (Zone::Below, Zone::Between) if gain.high < 0.0 => Finding::Behind,
            (Zone::Below, Zone::Between) => Finding::NotBetter,
            (Zone::Below, Zone::Above) => Finding::Unknown,
        }
    }

    /// The zone of a gain's logarithm; the limits themselves belong to the outer zones.
    fn zone(self, gain: f64) -> Zone {
        let limit = self.factor.ln();
        if gain >= limit {
            Zone::Above
        } else if gain <= -limit {
            Zone::Below
        } else {
            Zone::Between
        }
    }
}

/// One of the three parts into which the threshold and its inverse cut the line of gains.
enum Zone {
    Below,
    Between,
    Above,
}

impl Default for Threshold {
    /// 1.05: a gain below 5 % does not justify a second language in the build.
    fn default() -> Self {
        Threshold { factor: 1.05 }
    }
}

impl Finding {
    /// The finding of the same measurements with the two rows swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Finding::Better => Finding::Worse,
            Finding::Ahead => Finding::Behind,
            Finding::Behind => Finding::Ahead,
            Finding::NotWorse => Finding::NotBetter,
            Finding::NotBetter => Finding::NotWorse,
            Finding::Worse => Finding::Better,
            Finding::NoDifference | Finding::Unknown => self,
        }
    }

    /// The verdict on the candidate.
    pub fn verdict(self) -> Verdict {
        match self {
            Finding::Better => Verdict::Pays,
            Finding::NoDifference => Verdict::NoDifference,
            Finding::Behind | Finding::Worse => Verdict::DoesNotPay,
            Finding::Ahead | Finding::NotWorse | Finding::NotBetter | Finding::Unknown => Verdict::CannotTell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::{Confidence, Estimate};
    use crate::paired::Blocks;
    use proptest::prelude::*;

    /// A ratio whose interval runs from `low` to `high`, as logarithms.
    fn of_logarithms(low: f64, high: f64) -> Ratio {
        let interval = Some(Interval { low, high });
        Ratio::of_logarithm(Estimate { value: f64::midpoint(low, high), interval, count: 3 })
    }

    fn ratio(low: f64, high: f64) -> Ratio {
        of_logarithms(low.ln(), high.ln())
    }

    #[test]
    fn every_line_of_the_table_has_its_finding_and_verdict() {
        use Finding::{Ahead, Behind, NoDifference, NotBetter, NotWorse, Unknown, Worse};
        for (low, high, finding, verdict) in [
            (1.06, 1.50, Finding::Better, Verdict::Pays),
            (0.99, 1.03, NoDifference, Verdict::NoDifference),
            (0.99, 1.30, NotWorse, Verdict::CannotTell),
            (1.01, 1.30, Ahead, Verdict::CannotTell),
            (1.01, 1.04, NoDifference, Verdict::NoDifference),
            (0.80, 1.30, Unknown, Verdict::CannotTell),
            (0.80, 0.99, Behind, Verdict::DoesNotPay),
            (0.80, 1.01, NotBetter, Verdict::CannotTell),
            (0.96, 0.99, NoDifference, Verdict::NoDifference),
            (0.80, 0.90, Worse, Verdict::DoesNotPay),
        ] {
            let threshold = Threshold::default();
            let found = threshold.finding(&ratio(low, high), Better::Higher);
            assert_eq!((found, found.verdict()), (finding, verdict), "{low} … {high}");
            assert_eq!(
                threshold.finding(&ratio(1.0 / high, 1.0 / low), Better::Lower),
                finding,
                "a cost, {low} … {high}"
            );
        }
    }

    #[test]
    fn without_an_interval_nothing_is_known() {
        let one_block = Blocks { candidate: &[300.0], control: &[100.0] }.ratio(Confidence::default()).unwrap();
        assert_eq!(Threshold::default().finding(&one_block, Better::Higher), Finding::Unknown);
    }

    #[test]
    fn equal_rows_do_not_differ() {
        let row = [512.0, 512.0, 512.0];
        let same = Blocks { candidate: &row, control: &row }.ratio(Confidence::default()).unwrap();
        assert_eq!(Threshold::default().finding(&same, Better::Lower), Finding::NoDifference);
    }

    #[test]
    fn a_threshold_is_above_one() {
        for factor in [1.0, 0.95, -2.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Threshold::new(factor), Err(Error::Threshold(_))), "{factor}");
        }
    }

    fn direction() -> impl Strategy<Value = Better> {
        prop_oneof![Just(Better::Higher), Just(Better::Lower)]
    }

    /// Blocks whose ratios scatter around `centre`, so that all findings occur.
    fn rows() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        (2usize..8, 0.85..1.18, 0.0001..0.2f64).prop_flat_map(|(count, centre, scatter)| {
            let control = prop::collection::vec(50.0..150.0, count);
            let noise = prop::collection::vec(-scatter..scatter, count);
            (control, noise).prop_map(move |(control, noise)| {
                let candidate = control.iter().zip(&noise).map(|(value, noise)| value * centre * noise.exp()).collect();
                (candidate, control)
            })
        })
    }

    proptest! {
        #[test]
        fn swapping_rows_mirrors_the_finding((candidate, control) in rows(), better in direction(), factor in 1.01..1.5) {
            let blocks = Blocks { candidate: &candidate, control: &control };
            let threshold = Threshold::new(factor).unwrap();
            let found = threshold.finding(&blocks.ratio(Confidence::default()).unwrap(), better);
            let swapped = threshold.finding(&blocks.swapped().ratio(Confidence::default()).unwrap(), better);
            prop_assert_eq!(found.swapped(), swapped);
            prop_assert_eq!(found, swapped.swapped());
        }

        #[test]
        fn throughput_and_its_inverse_agree((candidate, control) in rows(), factor in 1.01..1.5) {
            let blocks = Blocks { candidate: &candidate, control: &control };
            let threshold = Threshold::new(factor).unwrap();
            let ratio = blocks.ratio(Confidence::default()).unwrap();
            let cost = blocks.swapped().ratio(Confidence::default()).unwrap();
            prop_assert_eq!(threshold.finding(&ratio, Better::Higher), threshold.finding(&cost, Better::Lower));
        }

        #[test]
        fn a_limit_belongs_to_the_same_side_when_swapped(factor in 1.01..1.5, width in 0.0..0.3) {
            let threshold = Threshold::new(factor).unwrap();
            let limit = factor.ln();
            for (low, high) in [(limit, limit + width), (limit - width, limit), (-limit, -limit + width), (-limit, limit)] {
                let found = threshold.finding(&of_logarithms(low, high), Better::Higher);
                prop_assert_eq!(found.swapped(), threshold.finding(&of_logarithms(-high, -low), Better::Higher));
            }
        }

        #[test]
        fn a_higher_threshold_never_turns_into_pays((candidate, control) in rows(), factor in 1.01..1.5) {
            let ratio = Blocks { candidate: &candidate, control: &control }.ratio(Confidence::default()).unwrap();
            let verdict = |factor: f64| Threshold::new(factor).unwrap().finding(&ratio, Better::Higher).verdict();
            if verdict(factor + 0.1) == Verdict::Pays {
                prop_assert_eq!(verdict(factor), Verdict::Pays);
            }
        }
    }
}
