//! "Given a bad answer, whose was it?" In: for each bad answer, its side, and the part of the traffic that the
//! candidate had at that moment. Out: evidence that the candidate gives more bad answers than control.
//!
//! While both sides are equally good, the candidate's part of the bad answers is its part `w` of the traffic, however
//! load and failures drift: the test uses only who gave a bad answer, never how many there are. If the candidate gives
//! `r` times as many, that part is `q(r) = w r / (w r + 1 - w)`. Each bad answer multiplies a bet on the ratio `r` by
//! `q(r) / q(r0)` if it is the candidate's and by `(1 - q(r)) / (1 - q(r0))` if it is control's, where `r0` is the
//! ratio that is still tolerated. This is the test of two streams of Turner, Ly and Grünwald ("Generic E-variables for
//! exact sequential k-sample tests that allow for optional stopping", 2022), given that an answer was bad.
//!
//! The same holds whenever one of two sides is chosen at random with a probability that is known beforehand: a
//! comparison with the candidate or with a second control process, say.

use super::Bets;
use crate::Error;

/// Who gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Control,
    Candidate,
}

/// The tolerated ratio of the candidate's bad answers to control's: 1.25 by default.
///
/// Without a margin, a difference too small to matter would be found in the end: in a simulation with a true ratio of
/// 1.2, nine out of ten rollouts were rolled back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margin(f64);

impl Margin {
    /// # Errors
    /// A ratio that is not finite or below 1.
    pub fn new(ratio: f64) -> Result<Self, Error> {
        if ratio >= 1.0 && ratio.is_finite() { Ok(Margin(ratio)) } else { Err(Error::Margin(ratio)) }
    }

    pub fn ratio(self) -> f64 {
        self.0
    }
}

impl Default for Margin {
    fn default() -> Self {
        Margin(1.25)
    }
}

/// The ratios that are bet on, as multiples of the margin: with a margin of 1.25 they are 1.5, 2, 4, 8, 16 and 64.
const ALTERNATIVES: [f64; 6] = [1.2, 1.6, 3.2, 6.4, 12.8, 51.2];

/// Evidence that the candidate gives more than the tolerated part of the bad answers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OriginEvidence {
    margin: Margin,
    bets: Bets<{ ALTERNATIVES.len() }>,
}

impl OriginEvidence {
    pub fn new(margin: Margin) -> Self {
        OriginEvidence { margin, bets: Bets::NONE }
    }

    /// Continues from [`OriginEvidence::state`].
    ///
    /// # Errors
    /// A state that is not finite.
    pub fn from_state(margin: Margin, state: [f64; ALTERNATIVES.len()]) -> Result<Self, Error> {
        crate::error::check_samples(&state)?;
        Ok(OriginEvidence { margin, bets: Bets(state) })
    }

    /// The state to store: the natural logarithm of each bet's worth.
    pub fn state(&self) -> [f64; ALTERNATIVES.len()] {
        self.bets.0
    }

    /// Takes in `count` bad answers of `side`, with the same result as one by one. The candidate had the part `weight`
    /// of the traffic; at a weight of 0 or 1 there was no choice, so the answers are no evidence.
    ///
    /// # Errors
    /// A weight outside of 0 to 1.
    pub fn bad_answers(&mut self, side: Side, weight: f64, count: u64) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(Error::Probability(weight));
        }
        if weight > 0.0 && weight < 1.0 && count > 0 {
            let margin = self.margin.0;
            self.bets.multiply(count, |number| {
                likelihood(side, weight, margin * ALTERNATIVES[number]) / likelihood(side, weight, margin)
            });
        }
        Ok(())
    }

    /// The natural logarithm of the e-value. An innocent candidate reaches 4.6 (an e-value of 100) in at most one of a
    /// hundred rollouts.
    pub fn ln_e_value(&self) -> f64 {
        self.bets.ln_e_value()
    }
}

/// The probability that a bad answer comes from `side`, where the candidate has `weight` of the traffic and gives
/// `ratio` times as many bad answers.
fn likelihood(side: Side, weight: f64, ratio: f64) -> f64 {
    let (candidates, controls) = (weight * ratio, 1.0 - weight);
    match side {
        Side::Candidate => candidates / (candidates + controls),
        Side::Control => controls / (candidates + controls),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn e_value_after(answers: &[(Side, f64)]) -> f64 {
        let mut evidence = OriginEvidence::new(Margin::default());
        answers.iter().for_each(|(side, weight)| evidence.bad_answers(*side, *weight, 1).unwrap());
        evidence.ln_e_value().exp()
    }

    proptest! {
        /// The property of an e-process: one more bad answer is worth at most 1 on average, at every weight and at
        /// every true ratio up to the margin.
        #[test]
        fn no_innocent_candidate_gains_evidence_on_average(
            weight in 0.0001..0.9999, share_of_margin in 0.0..=1.0, margin in 1.0..4.0,
        ) {
            let ratio = margin * share_of_margin;
            let candidates = likelihood(Side::Candidate, weight, ratio);
            let after = |side| {
                let mut evidence = OriginEvidence::new(Margin::new(margin).unwrap());
                evidence.bad_answers(side, weight, 1).unwrap();
                evidence.ln_e_value().exp()
            };
            let expected = candidates * after(Side::Candidate) + (1.0 - candidates) * after(Side::Control);
            prop_assert!(expected <= 1.0 + 1e-9, "{expected}");
        }
    }

    #[test]
    fn bad_answers_at_the_candidates_share_are_no_evidence() {
        let answers: Vec<_> =
            (0..1000).map(|number| (if number % 20 == 0 { Side::Candidate } else { Side::Control }, 0.05)).collect();
        assert!(e_value_after(&answers) < 0.01);
    }

    #[test]
    fn three_bad_answers_in_a_row_at_one_percent_are_strong_evidence() {
        assert!(e_value_after(&[(Side::Candidate, 0.01); 3]) > 1000.0);
        // At half of the traffic, three bad answers of the candidate are as likely as three heads in a row.
        assert!(e_value_after(&[(Side::Candidate, 0.5); 3]) < 8.0);
    }

    #[test]
    fn bad_answers_taken_in_at_once_equal_as_many_one_by_one() {
        let (mut at_once, mut one_by_one) = (OriginEvidence::default(), OriginEvidence::default());
        at_once.bad_answers(Side::Candidate, 0.05, 30).unwrap();
        (0..30).for_each(|_| one_by_one.bad_answers(Side::Candidate, 0.05, 1).unwrap());
        assert!((at_once.ln_e_value() - one_by_one.ln_e_value()).abs() < 1e-9);
        at_once.bad_answers(Side::Control, 0.05, 0).unwrap();
        assert!((at_once.ln_e_value() - one_by_one.ln_e_value()).abs() < 1e-9);
    }

    #[test]
    fn without_a_choice_there_is_no_evidence() {
        assert_eq!(e_value_after(&[(Side::Candidate, 1.0), (Side::Control, 0.0)]), 1.0);
    }

    #[test]
    fn stored_evidence_can_be_continued() {
        let mut evidence = OriginEvidence::new(Margin::default());
        evidence.bad_answers(Side::Candidate, 0.25, 1).unwrap();
        let mut stored = OriginEvidence::from_state(Margin::default(), evidence.state()).unwrap();
        assert_eq!(stored, evidence);
        for evidence in [&mut stored, &mut evidence] {
            evidence.bad_answers(Side::Control, 0.5, 1).unwrap();
        }
        assert_eq!(stored.ln_e_value(), evidence.ln_e_value());
    }

    #[test]
    fn invalid_weights_and_margins_are_refused() {
        let mut evidence = OriginEvidence::new(Margin::default());
        assert_eq!(evidence.bad_answers(Side::Control, 1.5, 1), Err(Error::Probability(1.5)));
        assert!(evidence.bad_answers(Side::Control, f64::NAN, 1).is_err());
        assert_eq!(Margin::new(0.9), Err(Error::Margin(0.9)));
        assert!(OriginEvidence::from_state(Margin::default(), [f64::NAN; 6]).is_err());
    }
}
