//! Latencies as an HDR histogram that can be stored in JSON: nanoseconds, three significant digits, written in the
//! interchange format that HdrHistogram's own tools read (V2, deflated, base64).

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer, Serializer as _, V2DeflateSerializer},
};
use serde::{Deserialize, Deserializer as SerdeDeserializer, Serialize, Serializer as SerdeSerializer, de::Error as _};

/// The unit, in nanoseconds. A coarser one would widen the buckets below a thousand units, and with them the medians of
/// fast servers.
const LOWEST: u64 = 1;
/// The longest latency, in nanoseconds; longer ones count as this.
const HIGHEST: u64 = 600_000_000_000;
/// Significant decimal digits: every quantile is within 0.1 % of the truth.
const DIGITS: u8 = 3;

/// How long requests took.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Latencies(Histogram::new_with_bounds(LOWEST, HIGHEST, DIGITS).expect("the bounds are constants that fit"))
    }
}

impl Latencies {
    pub fn record(&mut self, latency: Duration) {
        self.0.saturating_record(latency.as_nanos().min(u128::from(HIGHEST)) as u64);
    }

    pub fn merge(&mut self, other: &Latencies) {
        // Both have the same bounds, so nothing can be out of range.
        let added = self.0.add(&other.0);
        debug_assert!(added.is_ok());
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time within which this share (0..=1) of the requests was answered, in seconds; `None` if there were no
    /// requests.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.value_at_quantile(share) as f64 / 1e9)
    }

    /// The mean in seconds; `None` if the histogram is empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.mean() / 1e9)
    }

    /// The maximum in seconds; `None` if the histogram is empty.
    pub fn maximum(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.max() as f64 / 1e9)
    }
}

impl Serialize for Latencies {
    fn serialize<S: SerdeSerializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&self.0, &mut bytes).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: SerdeDeserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        let read: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| D::Error::custom(format!("{error:?}")))?;
        let mut latencies = Latencies::default();
        latencies.0.add(&read).map_err(|error| D::Error::custom(format!("{error:?}")))?;
        Ok(latencies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_thousandth() {
        let mut latencies = Latencies::default();
        for microseconds in 1..=10_000 {
            latencies.record(Duration::from_micros(microseconds));
        }
        for share in [0.01, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let quantile = latencies.quantile(share).unwrap();
            assert!((quantile / (share * 0.01) - 1.0).abs() < 0.001, "{share}: {quantile}");
        }
        assert_eq!(Latencies::default().quantile(0.5), None);
    }

    #[test]
    fn latencies_survive_json() {
        let mut latencies = Latencies::default();
        for microseconds in [3, 80, 80, 1_000_000, 900_000_000] {
            latencies.record(Duration::from_micros(microseconds));
        }
        let text = serde_json::to_string(&latencies).unwrap();
        assert_eq!(serde_json::from_str::<Latencies>(&text).unwrap(), latencies);
        assert!(serde_json::from_str::<Latencies>("\"AAAA\"").is_err());
    }
}
