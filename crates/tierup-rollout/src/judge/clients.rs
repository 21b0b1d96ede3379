//! Each client's first bad answer at a weight. In: the clients of bad answers. Out: whether an answer counts, and how
//! probable it was that it would be the candidate's.
//!
//! A client stays on its side, so its further bad answers tell nothing about whose fault they are: one client with a
//! request that always fails would look like a bad side. Which side a client is on was chosen by chance, so the first
//! bad answers of all clients are independent. Their probability of being the candidate's is its weight `w`.
//!
//! A client that counted as control's at the weight `v` may count again at a larger weight `w`: all that is known of its
//! place is that it is above `v`, so it is the candidate's now with the probability `(w - v) / (1 - v)`. One that counted
//! as the candidate's remains with it, and tells nothing more.
//!
//! Memory is bounded: when there are too many clients, only every second one counts, then every fourth. Which ones
//! depends on a hash alone, so the choice favours no side.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::weights::Part;

/// The most clients that are remembered.
const MOST: usize = 16_384;

/// The clients that have counted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Clients {
    /// By a hash: the largest weight at which the client was control's, or all if it is the candidate's.
    seen: BTreeMap<u64, Part>,
    /// A client counts if so many of its hash's lowest bits are 0.
    bits: u32,
}

impl Clients {
    /// The probability with which this bad answer could have been the candidate's, as far as was known; `None`: it does
    /// not count. `salt` tells apart what is counted apart.
    pub(super) fn chance(&mut self, client: u64, salt: u64, is_candidates: bool, weight: Part) -> Option<f64> {
        let hash = mix(client ^ mix(salt));
        if !self.counts(hash) {
            return None;
        }
        let before = self.seen.get(&hash).copied().unwrap_or_default();
        if weight <= before {
            return None;
        }
        self.seen.insert(hash, if is_candidates { Part::ALL } else { weight });
        while self.seen.len() > MOST {
            self.bits += 1;
            let bits = self.bits;
            self.seen.retain(|hash, _| hash.trailing_zeros() >= bits);
        }
        let known = before.fraction();
        self.counts(hash).then(|| (weight.fraction() - known) / (1.0 - known))
    }

    fn counts(&self, hash: u64) -> bool {
        hash.trailing_zeros() >= self.bits
    }
}

/// Scatters the bits, so that the choice has nothing to do with a client's bucket, which is its side (the finaliser of
/// `SplitMix64`: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_counts_once_at_a_weight_and_apart_for_each_salt() {
        let mut clients = Clients::default();
        let mut chance =
            |client, salt, is_candidates, weight| clients.chance(client, salt, is_candidates, part(weight));
        assert_eq!(chance(7, 0, true, "5%"), Some(0.05));
        assert_eq!(chance(7, 0, true, "5%"), None);
        assert_eq!(chance(7, 1, true, "5%"), Some(0.05));
        assert_eq!(chance(8, 0, false, "5%"), Some(0.05));
        // It is the candidate's for ever, while the other may have become so.
        assert_eq!(chance(7, 0, true, "25%"), None);
        assert!((chance(8, 0, true, "24%").unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(chance(8, 0, true, "50%"), None);
        // A weight that fell tells nothing new.
        assert_eq!(chance(9, 0, false, "25%"), Some(0.25));
        assert_eq!(chance(9, 0, false, "5%"), None);
        assert_eq!(chance(9, 0, false, "25%"), None);
    }

    #[test]
    fn memory_is_bounded_and_what_counts_favours_no_side() {
        let mut clients = Clients::default();
        // Clients by their bucket: the lower half is one side's.
        let mut counted = [0_u32; 2];
        for number in 0..400_000_u64 {
            let bucket = mix(number);
            let is_candidates = bucket < 1 << 63;
            if clients.chance(bucket, 1, is_candidates, part("50%")).is_some() {
                counted[usize::from(is_candidates)] += 1;
            }
            assert!(clients.chance(bucket, 1, is_candidates, part("50%")).is_none(), "a client counted twice");
        }
        assert!(clients.seen.len() <= MOST);
        let [low, high] = counted.map(f64::from);
        assert!(low + high > 16_384.0 && (low / (low + high) - 0.5).abs() < 0.02, "{counted:?}");
    }
}
