//! Evidence against a candidate. It may be looked at after every answer, as often as one likes.
//!
//! In: single answers or blocks of answers, in the order in which they came. Out: an e-value. It starts at 1, and while
//! the candidate is no worse than it may be, its expected value never rises above 1, whatever happened before. So it
//! reaches 1 / `alpha` with a probability of at most `alpha` over a whole rollout, however long that is and whenever
//! anybody looks (Ville, "Étude critique de la notion de collectif", 1939). An ordinary test that is repeated until it
//! finds something always finds something in the end.
//!
//! Each kind of evidence bets on several alternatives at once, and its e-value is the average of what the bets are
//! worth (the method of mixtures; Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe anytime-valid
//! inference", 2023). Kinds are not pooled: a small rise of one would drown in the noise of another.

mod lead;
mod signs;
mod whose;

pub use lead::ln_e_value_of_leads;
pub use signs::{Block, Sign, SlownessEvidence};
pub use whose::{Margin, OriginEvidence, Side};

/// How many answers a step of a rollout needs before the absence of bad ones is evidence. `tolerated` is the largest
/// rate of bad answers that may go unseen.
///
/// With no bad answer among `3 / rate`, the 95 % confidence interval for the rate of bad answers ends at `rate` (the
/// "rule of three": Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983).
///
/// # Errors
/// A rate outside of (0, 1].
pub fn least_answers(tolerated: f64) -> Result<u64, crate::Error> {
    if tolerated > 0.0 && tolerated <= 1.0 {
        // A rounding error must not add one more: 3 / 0.1 may come out as 30.000000000000004.
        Ok((3.0 / tolerated - 1e-9).ceil() as u64)
    } else {
        Err(crate::Error::Probability(tolerated))
    }
}

/// The worth of bets on `N` alternatives, as the logarithm of each, so that no long run overflows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bets<const N: usize>([f64; N]);

impl<const N: usize> Default for Bets<N> {
    fn default() -> Self {
        Bets::NONE
    }
}

impl<const N: usize> Bets<N> {
    const NONE: Self = Bets([0.0; N]);

    /// Multiplies each bet `times` by its factor, which must be above 0.
    fn multiply(&mut self, times: u64, factor: impl Fn(usize) -> f64) {
        self.0.iter_mut().enumerate().for_each(|(number, worth)| *worth += times as f64 * factor(number).ln());
    }

    /// The natural logarithm of the average.
    fn ln_e_value(&self) -> f64 {
        let most = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most + (self.0.iter().map(|worth| (worth - most).exp()).sum::<f64>() / N as f64).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_neither_overflows_nor_loses_the_average() {
        let mut bets = Bets::<2>::NONE;
        assert_eq!(bets.ln_e_value(), 0.0);
        (0..10_000).for_each(|_| bets.multiply(1, |number| [2.0, 0.5][number]));
        assert!((bets.ln_e_value() - (10_000.0 * 2.0_f64.ln() - 2.0_f64.ln())).abs() < 1e-6);
    }

    #[test]
    fn least_answers_are_three_divided_by_the_rate() {
        assert_eq!(least_answers(0.001), Ok(3000));
        assert_eq!(least_answers(0.1), Ok(30));
        assert_eq!(least_answers(1.0), Ok(3));
        assert!(least_answers(0.0).is_err() && least_answers(1.1).is_err() && least_answers(f64::NAN).is_err());
    }
}
