//! A candidate against the control, block by block. In: one number per block for each of the two. Out: their ratio or
//! difference with an interval.
//!
//! What makes a block fast or slow (other work on the machine, its temperature, its frequency) moves both rows alike,
//! so it leaves the ratio within the block. Ratios are averaged as logarithms: a factor of 2 and a factor of ½ then
//! cancel, and the answer does not depend on which row is called the control.

use crate::error::{Error, check_samples};
use crate::interval::{Confidence, Estimate, Interval, mean_estimate};

/// One number per block, such as requests per second or CPU-microseconds per request. The two at the same index were
/// measured in the same block.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'a> {
    pub candidate: &'a [f64],
    pub control: &'a [f64],
}

/// The candidate's number divided by the control's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate in natural logarithms. Swapping the rows changes only signs, to the last bit.
    logarithm: Estimate,
}

impl Blocks<'_> {
    /// The geometric mean of candidate / control over the blocks, with Student's t on the logarithms.
    ///
    /// # Errors
    /// No blocks, different numbers of blocks, or a value that is not a finite number above 0.
    pub fn ratio(self, confidence: Confidence) -> Result<Ratio, Error> {
        self.check()?;
        check_positive("candidate", self.candidate)?;
        check_positive("control", self.control)?;
        // `ln a - ln b` rather than `ln (a / b)`: it is the exact negative when the rows are swapped.
        let logarithms: Vec<f64> = self.pairs().map(|(candidate, control)| candidate.ln() - control.ln()).collect();
        Ok(Ratio { logarithm: mean_estimate(&logarithms, confidence)? })
    }

    /// The mean of candidate - control over the blocks, in their unit, for numbers that may be 0 or negative.
    ///
    /// # Errors
    /// No blocks, different numbers of blocks, or a value that is not finite.
    pub fn difference(self, confidence: Confidence) -> Result<Estimate, Error> {
        self.check()?;
        let differences: Vec<f64> = self.pairs().map(|(candidate, control)| candidate - control).collect();
        mean_estimate(&differences, confidence)
    }

    /// The same blocks, with the control in the candidate's place.
    #[must_use]
    pub fn swapped(self) -> Self {
        Blocks { candidate: self.control, control: self.candidate }
    }

    fn check(self) -> Result<(), Error> {
        if self.candidate.len() != self.control.len() {
            return Err(Error::Unpaired { candidate: self.candidate.len(), control: self.control.len() });
        }
        check_samples(self.candidate)?;
        check_samples(self.control)
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.candidate.iter().copied().zip(self.control.iter().copied())
    }
}

impl Ratio {
    /// Candidate / control, above 0; 1 where they are equal.
    pub fn value(&self) -> f64 {
        self.logarithm.value.exp()
    }

    /// Missing if there was only one block.
    pub fn interval(&self) -> Option<Interval> {
        self.logarithm.interval.map(|interval| interval.map(f64::exp))
    }

    /// How many blocks it rests on.
    pub fn blocks(&self) -> usize {
        self.logarithm.count
    }

    /// Half the width of the interval as a share of the ratio: 0.03 means about ± 3 %. It is the input for
    /// [`share_of_time`](crate::share_of_time).
    pub fn relative_half_width(&self) -> Option<f64> {
        self.logarithm.half_width().map(f64::exp_m1)
    }

    #[cfg(test)]
    pub(crate) fn of_logarithm(logarithm: Estimate) -> Self {
        Ratio { logarithm }
    }

    pub(crate) fn logarithm(&self) -> &Estimate {
        &self.logarithm
    }
}

fn check_positive(row: &'static str, samples: &[f64]) -> Result<(), Error> {
    match samples.iter().position(|value| *value <= 0.0) {
        Some(place) => Err(Error::NotPositive { row, place, value: samples[place] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(candidate: &[f64], control: &[f64]) -> Result<Ratio, Error> {
        Blocks { candidate, control }.ratio(Confidence::default())
    }

    #[test]
    fn averages_ratios_within_blocks() {
        // The blocks differ tenfold, but the ratio is 2 in each, so the interval has no width beyond rounding.
        let ratio = check(&[200.0, 2000.0, 20.0], &[100.0, 1000.0, 10.0]).unwrap();
        let interval = ratio.interval().unwrap();
        assert!((ratio.value() - 2.0).abs() < 1e-12);
        assert!(interval.high - interval.low < 1e-12, "{interval:?}");
        assert_eq!(ratio.blocks(), 3);
    }

    #[test]
    fn agrees_with_a_hand_calculation() {
        // Logarithms base 2 are 1, 0, 2: mean 1, s 1, t(2) = 4.302652730, so 2^(1 ± 4.302652730 / √3).
        let ratio = check(&[2.0, 3.0, 4.0], &[1.0, 3.0, 1.0]).unwrap();
        let interval = ratio.interval().unwrap();
        let half_width = 4.302652730 / 3f64.sqrt();
        assert!((ratio.value() - 2.0).abs() < 1e-12);
        assert!((interval.low - (1.0 - half_width).exp2()).abs() < 1e-6);
        assert!((interval.high - (1.0 + half_width).exp2()).abs() < 1e-6);
    }

    #[test]
    fn invalid_numbers_are_refused_with_a_reason() {
        let words = |found: Result<Ratio, Error>| found.unwrap_err().to_string();
        assert_eq!(
            words(check(&[1.0, 0.0], &[1.0, 1.0])),
            "value 1 (counted from 0) of the candidate is 0: a ratio needs values above 0"
        );
        assert_eq!(
            words(check(&[1.0], &[-3.0])),
            "value 0 (counted from 0) of the control is -3: a ratio needs values above 0"
        );
        assert_eq!(
            words(check(&[1.0], &[1.0, 2.0])),
            "the candidate has 1 blocks and the control 2: leave out a block for both or for neither"
        );
        assert_eq!(words(check(&[], &[])), "there are no values to compute from");
        assert_eq!(words(check(&[f64::NAN], &[1.0])), "value 0 (counted from 0) is NaN, which is not a finite number");
    }

    #[test]
    fn one_block_has_no_interval() {
        let ratio = check(&[3.0], &[2.0]).unwrap();
        assert!((ratio.value() - 1.5).abs() < 1e-12);
        assert_eq!(ratio.interval(), None);
    }

    #[test]
    fn differences_may_be_negative_or_zero() {
        let blocks = Blocks { candidate: &[0.0, -1.0, 4.0], control: &[0.0, 2.0, 1.0] };
        let difference = blocks.difference(Confidence::default()).unwrap();
        assert_eq!(difference.value, 0.0);
        assert!((difference.half_width().unwrap() - 4.302652730 * 3.0 / 3f64.sqrt()).abs() < 1e-6);
    }

    fn blocks() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        (2usize..12).prop_flat_map(|count| {
            let row = || prop::collection::vec(1e-3..1e6, count);
            (row(), row())
        })
    }

    proptest! {
        #[test]
        fn swapping_rows_inverts_the_ratio((candidate, control) in blocks()) {
            let blocks = Blocks { candidate: &candidate, control: &control };
            let ratio = blocks.ratio(Confidence::default()).unwrap();
            let swapped = blocks.swapped().ratio(Confidence::default()).unwrap();
            prop_assert_eq!(ratio.logarithm.value, -swapped.logarithm.value);
            let (interval, mirrored) = (ratio.logarithm.interval.unwrap(), swapped.logarithm.interval.unwrap());
            prop_assert_eq!((interval.low, interval.high), (-mirrored.high, -mirrored.low));
        }

        #[test]
        fn units_do_not_matter((candidate, control) in blocks(), unit in 1e-3..1e3) {
            let ratio = check(&candidate, &control).unwrap();
            let scale = |row: &[f64]| row.iter().map(|value| value * unit).collect::<Vec<_>>();
            let scaled = check(&scale(&candidate), &scale(&control)).unwrap();
            prop_assert!((ratio.logarithm.value - scaled.logarithm.value).abs() < 1e-9);
            let widths = (ratio.logarithm.half_width().unwrap(), scaled.logarithm.half_width().unwrap());
            prop_assert!((widths.0 - widths.1).abs() < 1e-9 * (1.0 + widths.0));
        }
    }
}
