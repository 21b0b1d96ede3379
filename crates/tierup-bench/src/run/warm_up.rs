//! How long servers warm up: just-in-time compilers, caches and pools make their first seconds unlike the rest.
//!
//! Servers are loaded by turns, shortly, until what a request costs has settled in each, or the time for it is over.

use std::time::Duration;

/// What a warm-up may take of a block's time for load, where rows need it.
pub(super) const MOST_OF_A_BLOCK: f64 = 0.6;
/// How much longer than in the first block it may take in later ones, whose slices have their length by then.
pub(super) const LATER: f64 = 1.25;
/// Loads in an equal share of the longest warm-up.
const LOADS: u32 = 8;
/// The length of each: many a compiler's steps are shorter, and a request of the slowest servers is not longer.
pub(super) const SHORTEST: Duration = Duration::from_millis(150);
const LONGEST: Duration = Duration::from_millis(500);
/// What every row gets where there is time: compilers that wait for a thousandth call do nothing for a second, which
/// looks settled.
const LEAST: Duration = Duration::from_secs(5);
/// How long one that has settled rests while others have not: a runtime that is asked nothing for some seconds gives up
/// what it has compiled.
pub(super) const REST: Duration = Duration::from_secs(4);

/// How the time for warm-up of a block is spent on so many rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Portions {
    /// One load of one row.
    pub(super) load: Duration,
    /// What each row gets before it is asked whether it has settled.
    pub(super) least: Duration,
}

pub(super) fn portions(rows: usize, most: Duration) -> Portions {
    let share = most / rows.max(1) as u32;
    Portions { load: (share / LOADS).clamp(SHORTEST, LONGEST), least: LEAST.min(share.mul_f64(0.9)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_shared_out() {
        let quick = portions(7, Duration::from_secs(10));
        assert!(quick.load < Duration::from_millis(200) && quick.least < Duration::from_secs(2), "{quick:?}");
        let long = portions(7, Duration::from_secs(100));
        assert_eq!(long, Portions { load: LONGEST, least: LEAST });
    }
}
