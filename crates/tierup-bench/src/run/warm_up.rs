//! Whether a server has warmed up: just-in-time compilers, caches and pools make its first seconds unlike the rest.

use tierup_stats::MIN_BUCKETS;

/// How often warm-up is prolonged where throughput has not settled.
pub(super) const MOST: usize = 3;

/// Equal parts of a warm-up that are looked at.
pub(super) const PARTS: usize = 40;

/// Fewer answers than this in a part, and chance alone makes neighbours unlike.
const ANSWERS_A_PART: u32 = 30;

/// Whether throughput stopped changing by the middle of it, so that what follows is steady. So few answers that nobody
/// could tell count as settled: a longer warm-up of the same length would tell no more.
pub(super) fn settled(parts: &[u32]) -> bool {
    let answers: u32 = parts.iter().sum();
    let together = (1..=parts.len()).find(|size| answers as usize * size >= parts.len() * ANSWERS_A_PART as usize);
    let buckets: Vec<f64> = parts
        .chunks_exact(together.unwrap_or(parts.len()).max(1))
        .map(|chunk| f64::from(chunk.iter().sum::<u32>()))
        .collect();
    if buckets.len() < MIN_BUCKETS {
        return answers > 0;
    }
    tierup_stats::warm_up(&buckets).is_ok_and(|warm_up| warm_up.steady_from.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_server_has_settled() {
        assert!(settled(&[100; PARTS]));
        let wavering: Vec<u32> = (0..PARTS as u32).map(|part| 100 + part * 7919 % 11).collect();
        assert!(settled(&wavering));
    }

    #[test]
    fn one_that_still_gains_has_not() {
        let gaining: Vec<u32> = (0..PARTS as u32).map(|part| 100 + part * part).collect();
        assert!(!settled(&gaining));
    }

    #[test]
    fn a_few_answers_cannot_tell() {
        assert!(settled(&[1; PARTS]));
        assert!(!settled(&[0; PARTS]));
    }
}
