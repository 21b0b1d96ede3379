//! Each client's first bad answer. In: the clients of bad answers. Out: whether an answer counts.
//!
//! A client stays on its side, so its further bad answers tell nothing about whose fault they are: one client with a
//! request that always fails would look like a bad side. Which side a client is on was chosen at random, so the first
//! ones of all clients are independent.
//!
//! Memory is bounded: when there are too many clients, only every second one counts, then every fourth. Which ones
//! depends on a hash alone, so the choice favours no side.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The most clients that are remembered: 64 KiB for each kind of evidence.
const MOST: usize = 8_192;

/// The clients that have counted already.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Clients {
    seen: BTreeSet<u64>,
    /// A client counts if so many of its hash's lowest bits are 0.
    bits: u32,
}

impl Clients {
    /// Whether this is the first bad answer of a client that counts. `salt` tells apart what is counted apart.
    pub(super) fn is_first(&mut self, client: u64, salt: u64) -> bool {
        let hash = mix(client ^ mix(salt));
        if !self.counts(hash) || !self.seen.insert(hash) {
            return false;
        }
        while self.seen.len() > MOST {
            self.bits += 1;
            let bits = self.bits;
            self.seen.retain(|hash| hash.trailing_zeros() >= bits);
        }
        self.counts(hash)
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

    #[test]
    fn a_client_counts_once_and_apart_for_each_salt() {
        let mut clients = Clients::default();
        let first: Vec<_> =
            [(7, 0), (7, 0), (8, 0), (7, 1)].map(|(client, salt)| clients.is_first(client, salt)).into();
        assert_eq!(first, [true, false, true, true]);
    }

    #[test]
    fn memory_is_bounded_and_what_counts_favours_no_side() {
        let mut clients = Clients::default();
        // Clients by their bucket: the lower half is one side's.
        let mut counted = [0_u32; 2];
        for number in 0..200_000_u64 {
            let bucket = mix(number);
            if clients.is_first(bucket, 1) {
                counted[usize::from(bucket >= 1 << 63)] += 1;
            }
            assert!(!clients.is_first(bucket, 1), "a client counted twice");
        }
        assert!(clients.seen.len() <= MOST);
        let [low, high] = counted.map(f64::from);
        assert!(low + high > 8_192.0 && (low / (low + high) - 0.5).abs() < 0.02, "{counted:?}");
    }
}
