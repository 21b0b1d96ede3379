//! Whether the candidate is slower than its twin: a control process that was started at the same time and gets the same
//! part of the traffic. So both are equally cold, equally busy and equally likely to be stalled by the machine.
//!
//! In: for each short block of time, how many answers of each were slow. Out: evidence that the candidate's blocks are
//! the worse ones. Only the sign of each block's difference counts: the answers of a block are not independent (one
//! stall makes hundreds of them slow), but which of two equal processes stalls is a coin toss. With equal processes, a
//! sign is `+` with a probability of one half unless the block is a tie: the sign test (Arbuthnot 1710), made
//! sequential by bets on larger probabilities.
//!
//! Shares of unequal numbers of answers are not a fair coin: 10 answers rarely include one of the slowest hundredth,
//! 1000 usually do. So the larger set is thinned at random to the size of the smaller one. A block's sign is the mean
//! over all such thinnings: the probability of `+` minus that of `-`, which is 0 on average for equal processes.

use super::Bets;
use crate::Error;

/// Each bet assumes that the candidate has the worse block with one of these probabilities.
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

    /// Takes in a block that has ended. A block in which either process gave no answer changes nothing.
    pub fn block(&mut self, sign: Sign) {
        if sign.0 != 0.0 {
            self.bets.multiply(1, |number| 1.0 + (2.0 * ALTERNATIVES[number] - 1.0) * sign.0);
        }
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

/// Which process was the worse one in a block, from -1 to 1: above 0, it was the candidate.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Sign(f64);

impl Sign {
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Block {
    /// The probability that the candidate has more slow answers, minus the probability that the twin has more, after
    /// the side with more answers is thinned at random to the number of the other.
    ///
    /// # Errors
    /// More slow answers than answers.
    pub fn sign(self) -> Result<Sign, Error> {
        let Block { candidate, slow_of_candidate, twin, slow_of_twin } = self;
        for (slow, all) in [(slow_of_candidate, candidate), (slow_of_twin, twin)] {
            if slow > all {
                return Err(Error::MoreThanAll { part: slow, all });
            }
        }
        Ok(Sign(match candidate > twin {
            true => excess(candidate, slow_of_candidate, twin, slow_of_twin),
            false => -excess(twin, slow_of_twin, candidate, slow_of_candidate),
        }))
    }
}

/// If `taken` of `all` answers are drawn at random, and `slow` of `all` are slow: the probability that more than
/// `other` drawn answers are slow, minus the probability that fewer are. That number is hypergeometric.
fn excess(all: u64, slow: u64, taken: u64, other: u64) -> f64 {
    let (least, most) = (slow.saturating_sub(all - taken), slow.min(taken));
    // Probabilities are kept as multiples of the largest one, from which they fall on both sides.
    let largest = ((u128::from(taken) + 1) * (u128::from(slow) + 1) / (u128::from(all) + 2)) as u64;
    let largest = largest.clamp(least, most);
    let of = |number: u64, multiple: f64| match number.cmp(&other) {
        std::cmp::Ordering::Greater => multiple,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Less => -multiple,
    };
    let (mut sum, mut excess) = (1.0, of(largest, 1.0));
    // The probability of `number + 1` slow answers divided by that of `number`.
    let rise = |number: u64| {
        let (slow_left, taken_left) = ((slow - number) as f64, (taken - number) as f64);
        slow_left * taken_left / ((number + 1) as f64 * ((all - slow) as f64 - taken_left + 1.0))
    };
    let mut add = |number: u64, multiple: f64| {
        sum += multiple;
        excess += of(number, multiple);
        multiple > NEGLIGIBLE
    };
    let mut multiple = 1.0;
    for number in largest..most {
        multiple *= rise(number);
        if !add(number + 1, multiple) {
            break;
        }
    }
    multiple = 1.0;
    for number in (least..largest).rev() {
        multiple /= rise(number);
        if !add(number, multiple) {
            break;
        }
    }
    excess / sum
}

/// Probabilities below this part of the largest one no longer change the sum.
const NEGLIGIBLE: f64 = 1e-18;

#[cfg(test)]
mod tests {
    use super::*;

    fn block(slow_of_candidate: u64, slow_of_twin: u64) -> Block {
        Block { candidate: 100, slow_of_candidate, twin: 100, slow_of_twin }
    }

    fn e_value_after(blocks: impl IntoIterator<Item = Block>) -> f64 {
        let mut evidence = SlownessEvidence::new();
        for block in blocks {
            evidence.block(block.sign().unwrap());
        }
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
    fn ties_and_empty_blocks_change_nothing() {
        let empty = Block { candidate: 100, slow_of_candidate: 50, twin: 0, slow_of_twin: 0 };
        assert_eq!(e_value_after([block(3, 3), block(0, 0), empty]), 1.0);
    }

    #[test]
    fn the_side_with_more_answers_is_thinned() {
        // 2 of 4 answers are drawn, and 2 of the 4 are slow: 1, 4 and 1 of the 6 draws have 0, 1 and 2 slow answers.
        assert_eq!(excess(4, 2, 2, 0), 5.0 / 6.0);
        assert!(excess(4, 2, 2, 1).abs() < 1e-12);
        assert_eq!(excess(4, 2, 2, 2), -5.0 / 6.0);
        // Only one choice is possible.
        assert_eq!(
            [excess(5, 3, 5, 2), excess(5, 3, 5, 3), excess(5, 0, 3, 1), excess(5, 5, 3, 3)],
            [1.0, 0.0, -1.0, 0.0]
        );
        assert!(excess(1_000_000, 10_000, 300_000, 3_000).abs() < 0.01);
    }

    /// With equal processes, each bet gains nothing on average, even if one process gives more answers than the other.
    #[test]
    fn unequal_numbers_of_answers_favour_nobody() {
        let binomial = |all: u64, slow: u64| {
            let ways = (0..slow).fold(1.0, |ways, number| ways * (all - number) as f64 / (number + 1) as f64);
            ways * 0.1_f64.powi(slow as i32) * 0.9_f64.powi((all - slow) as i32)
        };
        for (candidate, twin) in [(3, 40), (40, 3), (17, 17), (1, 2)] {
            let mut expected = 0.0;
            for slow_of_candidate in 0..=candidate {
                for slow_of_twin in 0..=twin {
                    let chance = binomial(candidate, slow_of_candidate) * binomial(twin, slow_of_twin);
                    expected +=
                        chance * Block { candidate, slow_of_candidate, twin, slow_of_twin }.sign().unwrap().value();
                }
            }
            assert!(expected.abs() < 1e-9, "{candidate} and {twin}: {expected}");
        }
    }

    #[test]
    fn one_stall_with_many_slow_answers_is_one_sign() {
        assert_eq!(e_value_after([block(100, 0)]), e_value_after([block(1, 0)]));
    }

    #[test]
    fn refuses_more_slow_answers_than_answers() {
        let wrong = Block { candidate: 1, slow_of_candidate: 2, twin: 1, slow_of_twin: 0 };
        assert_eq!(wrong.sign(), Err(Error::MoreThanAll { part: 2, all: 1 }));
    }
}
