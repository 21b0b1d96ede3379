//! Whether the candidate is slower than its twin: a control process that was started at the same time and gets the same
//! part of the traffic, so that both are as cold, as busy and as likely to be stopped for a moment by the machine.
//!
//! In: for each short block of time, how many answers of each were slow. Out: evidence that the candidate's blocks are
//! the worse ones. Only the sign of each block's difference counts: the answers of a block are not independent (one stall
//! makes hundreds of them slow), but which of two equal processes stalls is a coin. With equal processes each sign is
//! `+` with a probability of one half, given that the block is no tie: the sign test (Arbuthnot 1710), made sequential by
//! bets on larger probabilities.

use super::Bets;
use crate::Error;

/// The probabilities of a worse block that are bet on.
const ALTERNATIVES: [f64; 5] = [0.55, 0.65, 0.75, 0.85, 0.95];

/// The answers of both processes in one block of time.
///
/// An answer is slow if it takes longer than a limit that was set before the block began. For the candidate, that limit
/// is multiplied by a tolerance, such as 1.05.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub candidate: u64,
    pub slow_of_candidate: u64,
    pub twin: u64,
    pub slow_of_twin: u64,
}

/// Evidence that the candidate is slower than its twin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlownessEvidence {
    bets: Bets<{ ALTERNATIVES.len() }>,
}

impl SlownessEvidence {
    pub fn new() -> Self {
        SlownessEvidence { bets: Bets::NONE }
    }

    /// Continues from [`SlownessEvidence::state`].
    ///
    /// # Errors
    /// A state that is not finite.
    pub fn from_state(state: [f64; ALTERNATIVES.len()]) -> Result<Self, Error> {
        crate::error::check_samples(&state)?;
        Ok(SlownessEvidence { bets: Bets(state) })
    }

    /// The state to store: the natural logarithm of each bet's worth.
    pub fn state(&self) -> [f64; ALTERNATIVES.len()] {
        self.bets.0
    }

    /// Takes in a block that has ended. A block says nothing if either process gave no answer in it, or if both have
    /// the same share of slow answers.
    ///
    /// # Errors
    /// More slow answers than answers.
    pub fn block(&mut self, block: Block) -> Result<(), Error> {
        for (slow, all) in [(block.slow_of_candidate, block.candidate), (block.slow_of_twin, block.twin)] {
            if slow > all {
                return Err(Error::MoreThanAll { part: slow, all });
            }
        }
        // Shares are compared without a division, so that equal ones are equal.
        let candidate = u128::from(block.slow_of_candidate) * u128::from(block.twin);
        let twin = u128::from(block.slow_of_twin) * u128::from(block.candidate);
        if candidate != twin {
            self.bets.multiply(1, |number| {
                let worse = ALTERNATIVES[number];
                2.0 * if candidate > twin { worse } else { 1.0 - worse }
            });
        }
        Ok(())
    }

    /// The natural logarithm of the e-value: see [`OriginEvidence::ln_e_value`](super::OriginEvidence::ln_e_value).
    pub fn ln_e_value(&self) -> f64 {
        self.bets.ln_e_value()
    }
}

impl Default for SlownessEvidence {
    fn default() -> Self {
        SlownessEvidence::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(slow_of_candidate: u64, slow_of_twin: u64) -> Block {
        Block { candidate: 100, slow_of_candidate, twin: 100, slow_of_twin }
    }

    fn e_value_after(blocks: impl IntoIterator<Item = Block>) -> f64 {
        let mut evidence = SlownessEvidence::new();
        blocks.into_iter().for_each(|block| evidence.block(block).unwrap());
        evidence.ln_e_value().exp()
    }

    #[test]
    fn a_fair_coin_gains_nothing_on_average() {
        let expected = (e_value_after([block(2, 1)]) + e_value_after([block(1, 2)])) / 2.0;
        assert!((expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_candidate_that_is_always_worse_is_found_within_a_minute_of_blocks() {
        assert!(e_value_after([block(2, 1); 12]) > 400.0);
        assert!(e_value_after([block(1, 2); 12]) < 0.1);
    }

    #[test]
    fn ties_and_empty_blocks_say_nothing() {
        let empty = Block { candidate: 100, slow_of_candidate: 50, twin: 0, slow_of_twin: 0 };
        let same_share = Block { candidate: 10, slow_of_candidate: 1, twin: 100, slow_of_twin: 10 };
        assert_eq!(e_value_after([block(3, 3), block(0, 0), empty, same_share]), 1.0);
    }

    #[test]
    fn one_stall_with_many_slow_answers_is_one_sign() {
        assert_eq!(e_value_after([block(100, 0)]), e_value_after([block(1, 0)]));
    }

    #[test]
    fn refuses_more_slow_answers_than_answers() {
        let wrong = Block { candidate: 1, slow_of_candidate: 2, twin: 1, slow_of_twin: 0 };
        assert_eq!(SlownessEvidence::new().block(wrong), Err(Error::MoreThanAll { part: 2, all: 1 }));
    }
}
