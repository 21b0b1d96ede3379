//! Keyed hashes, which stand for values that evidence does not show: a reader sees whether two are the same, and not what
//! they are.
//!
//! The key is new in each run and is never written. Without it nobody can try values until one fits (RFC 2104).

use std::sync::LazyLock;

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

static KEY: LazyLock<Hmac<Sha256>> = LazyLock::new(|| {
    let key: [u8; 32] = rand::random();
    Hmac::new_from_slice(&key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
});

/// How all of them begin.
pub(crate) const HASH: &str = "hmac:";

/// `hmac:1f2e3d4c5b6a7988`.
pub(crate) fn hash(value: &str) -> String {
    let digest = KEY.clone().chain_update(value).finalize().into_bytes();
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{HASH}{digits}")
}
