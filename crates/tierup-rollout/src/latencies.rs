//! How long answers took, as a histogram. Histograms of any number of proxies can be added.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

/// The ratio of a bucket's upper bound to its lower one.
const STEP: f64 = 1.05;
/// 1.05^700 microseconds are twenty years.
const LAST: u16 = 700;

/// Counts of answers by latency. Bucket `i` holds latencies from `1.05^i` to `1.05^(i + 1)` microseconds; bucket 0 also
/// holds all below. A quantile is right within 5 %.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
// Stored as pairs: JSON turns a map's keys into texts, which do not become numbers again within a tagged enum.
#[serde(into = "Vec<(u16, u64)>", try_from = "Vec<(u16, u64)>")]
pub struct Latencies(BTreeMap<u16, u64>);

impl From<Latencies> for Vec<(u16, u64)> {
    fn from(latencies: Latencies) -> Vec<(u16, u64)> {
        latencies.0.into_iter().collect()
    }
}

impl TryFrom<Vec<(u16, u64)>> for Latencies {
    type Error = String;

    fn try_from(pairs: Vec<(u16, u64)>) -> Result<Latencies, String> {
        match pairs.iter().find(|(bucket, _)| *bucket > LAST) {
            Some((bucket, _)) => Err(format!("a histogram has no bucket {bucket}")),
            None => Ok(Latencies(pairs.into_iter().collect())),
        }
    }
}

impl Latencies {
    pub fn add(&mut self, took: Duration) {
        self.add_many(took, 1);
    }

    /// Adds answers with the same latency.
    pub fn add_many(&mut self, took: Duration, count: u64) {
        if count > 0 {
            *self.0.entry(bucket(took)).or_default() += count;
        }
    }

    /// Adds another histogram's counts.
    pub fn merge(&mut self, other: &Latencies) {
        for (bucket, count) in &other.0 {
            *self.0.entry(*bucket).or_default() += count;
        }
    }

    pub fn count(&self) -> u64 {
        self.counts().sum()
    }

    /// The count of each bucket.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.0.values().copied()
    }

    /// How many answers took longer than a limit. The bucket of the limit itself does not count.
    pub fn above(&self, limit: Duration) -> u64 {
        self.0.range(bucket(limit) + 1..).map(|(_, count)| count).sum()
    }

    /// The sum of all latencies, right within 5 %.
    pub fn sum(&self) -> Duration {
        let of = |(bucket, count): (&u16, &u64)| middle(*bucket).as_secs_f64() * *count as f64;
        Duration::try_from_secs_f64(self.0.iter().map(of).sum()).unwrap_or(Duration::MAX)
    }

    /// The latency that this part of the answers did not exceed; `None` without answers.
    pub fn quantile(&self, part: f64) -> Option<Duration> {
        let rank = ((self.count() as f64 * part).ceil() as u64).max(1);
        let mut seen = 0;
        let bucket = self.0.iter().find_map(|(bucket, count)| {
            seen += count;
            (seen >= rank).then_some(*bucket)
        })?;
        Some(middle(bucket))
    }
}

/// The latency in the middle of a bucket.
fn middle(bucket: u16) -> Duration {
    Duration::from_secs_f64(STEP.powf(f64::from(bucket) + 0.5) / 1e6)
}

fn bucket(took: Duration) -> u16 {
    let micros = took.as_secs_f64() * 1e6;
    if micros < 1.0 { 0 } else { (micros.ln() / STEP.ln()).floor().min(f64::from(LAST)) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_within_a_bucket_and_histograms_add_up() {
        let (mut odd, mut even) = (Latencies::default(), Latencies::default());
        for millis in 1..=1000_u64 {
            if millis % 2 == 1 { &mut odd } else { &mut even }.add(Duration::from_millis(millis));
        }
        odd.merge(&even);
        assert_eq!(odd.count(), 1000);
        for (part, expected) in [(0.5, 0.5), (0.99, 0.99), (1.0, 1.0)] {
            let found = odd.quantile(part).expect("there are some").as_secs_f64();
            assert!((found / expected - 1.0).abs() < 0.05, "{part}: {found}");
        }
        let slow = odd.above(Duration::from_millis(900));
        assert!((50..=150).contains(&slow), "{slow}");
        assert_eq!(Latencies::default().quantile(0.5), None);
    }

    #[test]
    fn invalid_histograms_are_refused_and_sums_do_not_overflow() {
        let read = |text: &str| serde_json::from_str::<Latencies>(text);
        assert!(read("[[65535,1]]").is_err());
        let longest = read("[[700,1099511627776]]").expect("a histogram");
        assert_eq!(longest.sum(), Duration::MAX);
        assert!(longest.quantile(0.5) > Some(Duration::from_secs(20 * 365 * 24 * 3600)));
    }
}
