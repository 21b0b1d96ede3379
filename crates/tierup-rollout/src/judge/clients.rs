//! Each client's first bad answer at a weight. In: the clients of bad answers. Out: whether an answer counts, and with
//! what probability it would have been the candidate's.
//!
//! A client stays on its side, so its further bad answers do not show which side is at fault: one client with a request
//! that always fails would make its side look bad. Each client's side was chosen by chance, so the first bad answers of
//! all clients are independent. Each is the candidate's with the probability `w`, the candidate's weight.
//!
//! A client that counted as control's at the weight `v` may count again at a larger weight `w`. Its place is known to
//! be above `v`, so it is now the candidate's with the probability `(w - v) / (1 - v)`. A client that counted as the
//! candidate's stays with it, and never counts again.
//!
//! Memory is bounded: when there are too many clients, only every second one counts, then every fourth. The choice
//! depends on a hash alone, so it favours no side.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::weights::Part;

/// The most clients that are remembered.
const MOST: usize = 16_384;

/// The clients that have counted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Clients {
    /// By a hash of the client: the largest weight at which it was control's, or the whole if it is the candidate's.
    seen: BTreeMap<u64, Part>,
    /// A client counts if this many of the lowest bits of its hash are 0.
    bits: u32,
}

impl Clients {
    /// The probability that this bad answer would be the candidate's, given what was known of the client; `None` if it
    /// does not count. Each `salt` has clients of its own.
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

/// Scatters the bits, so that the choice is independent of a client's side, which its bucket decides (the finaliser of
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
        // Client 7 is the candidate's for ever; the other one may have become the candidate's.
        assert_eq!(chance(7, 0, true, "25%"), None);
        assert!((chance(8, 0, true, "24%").unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(chance(8, 0, true, "50%"), None);
        // A weight below an earlier one tells nothing new.
        assert_eq!(chance(9, 0, false, "25%"), Some(0.25));
        assert_eq!(chance(9, 0, false, "5%"), None);
        assert_eq!(chance(9, 0, false, "25%"), None);
    }

    #[test]
    fn memory_is_bounded_and_the_choice_favours_no_side() {
        let mut clients = Clients::default();
        // Clients are even by bucket: the lower half is one side's.
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
