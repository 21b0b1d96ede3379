//! "Whose call of a pair takes longer?" In: sums over pairs of calls, of which chance gave one to each side. Out:
//! evidence that the candidate takes longer than is tolerated.
//!
//! A pair's lead is `(c - r k) / (c + r k)`, where the candidate took `c`, control took `k`, and `r` is the tolerated
//! ratio. If the candidate takes at most `r` times as long as control would have, call by call, then the two leads of a
//! pair and of the pair with its sides swapped, which is as likely, add up to 0 at most, whatever the calls are. A bet of the part `b` on each pair is
//! worth `1 + b x` times as much after a lead of `x`, and `exp(b x - b² x²)` is no more than that for `b` up to 1/2
//! (Cesa-Bianchi, Mansour and Stoltz, "Improved second-order bounds for prediction with expert advice", 2007, lemma 1).
//! So the sums of leads and of their squares are enough.

use super::Bets;

/// The parts that are bet. The large ones find a clear lead soon, the small ones a lead of a few percent among calls
/// that differ a lot.
const PARTS: [f64; 5] = [0.5, 0.25, 0.1, 0.04, 0.01];

/// The natural logarithm of the e-value.
#[must_use]
pub fn ln_e_value_of_leads(sum: f64, squares: f64) -> f64 {
    Bets(PARTS.map(|part| part * sum - part * part * squares)).ln_e_value()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::*;

    /// The number of pairs after which the candidate is found to take longer than 1.05 times as long. `times` returns
    /// how long candidate and control take.
    fn found(most: u32, mut times: impl FnMut() -> (f64, f64)) -> Option<u32> {
        let (mut sum, mut squares) = (0.0, 0.0);
        (1..=most).find(|_| {
            let (candidate, control) = times();
            let lead = (candidate - 1.05 * control) / (candidate + 1.05 * control);
            (sum, squares) = (sum + lead, squares + lead * lead);
            ln_e_value_of_leads(sum, squares) >= 100_f64.ln()
        })
    }

    /// A call whose time's logarithm has a standard deviation of about 1.
    fn call(random: &mut StdRng) -> f64 {
        (0..3).map(|_| random.random_range(-1.0..1.0_f64)).sum::<f64>().exp()
    }

    #[test]
    fn an_equal_candidate_is_rarely_blamed_and_a_slow_one_is_found() {
        let blamed = (0..200).filter(|seed| {
            let mut random = StdRng::seed_from_u64(*seed);
            found(5_000, || (call(&mut random) * 1.05, call(&mut random))).is_some()
        });
        assert!(blamed.count() <= 4);
        for (ratio, most) in [(1.2, 10_000), (2.0, 400)] {
            let found = (0..20).filter_map(|seed| {
                let mut random = StdRng::seed_from_u64(seed);
                found(most, || (call(&mut random) * ratio, call(&mut random)))
            });
            assert!(found.count() >= 19, "{ratio}");
        }
    }

    #[test]
    fn a_candidate_that_is_slow_for_short_calls_only_is_found() {
        let mut random = StdRng::seed_from_u64(1);
        let mut control = || if random.random_bool(0.5) { 1.5 } else { 5.0 };
        assert!(found(1_000, || (4.2, control())).is_some());
    }
}
