//! Whether a server has warmed up. In: the cost of a request in each of the short loads since its start. Out: whether
//! that cost has stopped falling.
//!
//! It looks at cost, not throughput, because throughput depends on what else the machine does. It uses the later half,
//! as rules for truncating a start do (MSER keeps at least half: White, "An effective truncation heuristic for bias
//! reduction in simulation output", 1997): the longer the start took, the longer the cost must not fall. The trend is
//! not tested for significance, because with so few loads such a test would never find one. So a steady server may by
//! chance need one more load, and a server that still becomes cheaper rarely passes (`tests/warm_up.rs` shows how
//! rarely).

use crate::{error::Error, steadiness::trend};

/// Fewer loads than this in the later half show no trend.
const LEAST_KEPT: usize = 3;

/// A server whose requests became cheaper by more than this within the later half is still warming up.
const LARGEST_FALL: f64 = 0.05;

/// Whether the cost of a request has stopped falling. Fewer than five loads cannot show that: the answer is then no.
///
/// # Errors
/// A cost that is not finite, or costs whose median is not above 0.
pub fn has_settled(costs: &[f64]) -> Result<bool, Error> {
    let kept = &costs[costs.len() / 2..];
    Ok(kept.len() >= LEAST_KEPT && trend(kept)? > -LARGEST_FALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_server_has_settled() {
        assert_eq!(has_settled(&[100.0; 6]), Ok(true));
        let wavering: Vec<f64> = (0..12).map(|load| 100.0 + f64::from(load * 7919 % 11)).collect();
        assert_eq!(has_settled(&wavering), Ok(true));
    }

    #[test]
    fn a_server_that_becomes_dearer_has_settled() {
        assert_eq!(has_settled(&[90.0, 95.0, 100.0, 104.0, 110.0, 115.0]), Ok(true));
    }

    #[test]
    fn a_server_that_becomes_cheaper_has_not_settled() {
        // The time per request of a Node server with an HTTP client in each of its first seconds, in microseconds.
        let costs = [1039.0, 662.0, 361.0, 318.0, 287.0, 233.0, 265.0, 239.0, 244.0, 242.0, 239.0, 241.0];
        assert!((1..9).all(|loads| has_settled(&costs[..loads]) == Ok(false)));
        assert_eq!(has_settled(&costs), Ok(true));
    }

    #[test]
    fn four_loads_cannot_tell() {
        assert_eq!(has_settled(&[]), Ok(false));
        assert_eq!(has_settled(&[100.0; 4]), Ok(false));
        assert_eq!(has_settled(&[100.0; 5]), Ok(true));
    }

    #[test]
    fn invalid_costs_are_refused() {
        assert!(matches!(has_settled(&[f64::INFINITY; 6]), Err(Error::NotFinite { .. })));
        assert!(matches!(has_settled(&[0.0; 6]), Err(Error::NotAboveZero { .. })));
    }
}
