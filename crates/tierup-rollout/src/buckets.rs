//! Assigns clients to servers by a keyed hash of their cookie, header or address, so that a client keeps its server.

use std::{fmt, str::FromStr};

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::weights::{Side, Weights};

/// The secret key of one ramp's hash. Each ramp gets a new key, so that its first clients are not always the same ones.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RampKey([u8; 16]);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key has 32 hexadecimal digits")]
pub struct NotAKey;

impl RampKey {
    /// Makes a key from random bytes.
    pub fn new(bytes: [u8; 16]) -> RampKey {
        RampKey(bytes)
    }

    /// The key's bytes, for programs that compute the same hash.
    pub fn bytes(&self) -> [u8; 16] {
        self.0
    }
}

impl FromStr for RampKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<RampKey, NotAKey> {
        let mut bytes = [0; 16];
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NotAKey);
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| NotAKey)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| NotAKey)?;
        }
        Ok(RampKey(bytes))
    }
}

impl TryFrom<String> for RampKey {
    type Error = NotAKey;

    fn try_from(text: String) -> Result<RampKey, NotAKey> {
        text.parse()
    }
}

impl From<RampKey> for String {
    fn from(key: RampKey) -> String {
        key.to_string()
    }
}

impl fmt::Display for RampKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The key is a secret: a client that knows it could choose its server.
impl fmt::Debug for RampKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RampKey(…)")
    }
}

/// Computes a client's bucket from its cookie, header or address.
#[derive(Debug, Clone)]
pub struct Buckets(Hmac<Sha256>);

/// A client's place among all clients, from 0 to 2^64 - 1. It does not reveal who the client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bucket(pub u64);

impl Buckets {
    pub fn new(key: &RampKey) -> Buckets {
        // HMAC accepts keys of any length (RFC 2104).
        Buckets(Hmac::new_from_slice(&key.0).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length")))
    }

    /// The bucket of a client with this cookie, header or address.
    pub fn of(&self, client: &[u8]) -> Bucket {
        let digest = self.0.clone().chain_update(client).finalize().into_bytes();
        let first: [u8; 8] = std::array::from_fn(|index| digest[index]);
        Bucket(u64::from_be_bytes(first))
    }
}

impl Bucket {
    /// The side that answers this client. The candidate's clients stay with it while its weight rises, and the twin's
    /// with the twin: the two ranges grow from opposite ends, and meet only if control's part is 0.
    pub fn side(self, weights: Weights) -> Side {
        // The place in 1/10,000, rounded down, so it is always below 10,000.
        let place = (u128::from(self.0) * 10_000) >> 64;
        if place < u128::from(weights.candidate.ten_thousandths()) {
            Side::Candidate
        } else if place >= u128::from(weights.twin.rest().ten_thousandths()) {
            Side::Twin
        } else {
            Side::Control
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::weights::Part;

    fn weights(candidate: u16) -> Weights {
        Weights::with_twin(Part::of_ten_thousand(candidate).expect("a part"))
    }

    proptest! {
        #[test]
        fn a_client_that_has_the_candidate_keeps_it_while_its_weight_rises(
            bucket: u64, low in 0..=10_000_u16, more in 0..=10_000_u16,
        ) {
            let high = low.saturating_add(more).min(10_000);
            if Bucket(bucket).side(weights(low)) == Side::Candidate {
                prop_assert_eq!(Bucket(bucket).side(weights(high)), Side::Candidate);
            }
        }
    }

    #[test]
    fn each_side_gets_its_part() {
        let buckets = Buckets::new(&RampKey::new([7; 16]));
        let mut of = [0; 3];
        for client in 0..100_000_u32 {
            of[buckets.of(&client.to_be_bytes()).side(weights(500)) as usize] += 1;
        }
        // The tolerance is ten standard deviations of a binomial.
        assert!((4_300..5_700).contains(&of[Side::Candidate as usize]), "{of:?}");
        assert!((4_300..5_700).contains(&of[Side::Twin as usize]), "{of:?}");
        assert!(
            Bucket(u64::MAX).side(weights(10_000)) == Side::Candidate && Bucket(0).side(weights(0)) == Side::Control
        );
    }

    #[test]
    fn another_key_gives_other_buckets_and_is_read_as_it_is_written() {
        let key: RampKey = "000102030405060708090a0b0c0d0e0f".parse().expect("a key");
        assert_eq!(key.to_string().parse(), Ok(key.clone()));
        assert_eq!(format!("{key:?}"), "RampKey(…)");
        assert_ne!(Buckets::new(&key).of(b"anna"), Buckets::new(&RampKey::new([0; 16])).of(b"anna"));
        assert!("0001".parse::<RampKey>().is_err() && "zz0102030405060708090a0b0c0d0e0f".parse::<RampKey>().is_err());
    }
}
