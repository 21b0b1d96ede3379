//! The value in HAProxy's map: `500:9500:1795406460:AAECAwQFBgcICQoLDA0ODw==`.
//!
//! The candidate's clients have places from 0 to below the first number, the twin's from the second one to 10,000, as
//! in [`Bucket::side`](tierup_rollout::Bucket::side). The end, in seconds since 1970, and the key of the hash follow.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use tierup_rollout::{Control, Part, STALE_AFTER, Weights};

/// The entry's name in the map.
pub(super) const KEY: &str = "split";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    weights: Weights,
    until: u64,
    key: String,
}

impl Split {
    pub(super) fn new(control: &Control) -> Split {
        Split {
            weights: control.weights,
            until: control.heartbeat.saturating_add(STALE_AFTER),
            key: BASE64_STANDARD.encode(control.key.bytes()),
        }
    }

    /// The value with which HAProxy starts: control answers every request.
    pub(super) fn closed() -> Split {
        Split { weights: Weights::CONTROL_ONLY, until: 0, key: String::new() }
    }

    pub(super) fn to_value(&self) -> String {
        let Weights { candidate, twin } = self.weights;
        let Split { until, key, .. } = self;
        format!("{}:{}:{until}:{key}", candidate.ten_thousandths(), twin.rest().ten_thousandths())
    }

    pub(super) fn parse(value: &str) -> Option<Split> {
        let mut fields = value.splitn(4, ':');
        let weights = weights(fields.next()?, fields.next()?)?;
        Some(Split { weights, until: fields.next()?.parse().ok()?, key: fields.next()?.to_owned() })
    }

    pub(super) fn weights_at(&self, now: u64) -> Weights {
        if now < self.until { self.weights } else { Weights::CONTROL_ONLY }
    }
}

/// The weights, from the end of the candidate's places and the beginning of the twin's.
pub(super) fn weights(candidate: &str, twin: &str) -> Option<Weights> {
    let part = |text: &str| Part::of_ten_thousand(text.parse().ok()?).ok();
    Some(Weights { candidate: part(candidate)?, twin: part(twin)?.rest() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actuator::fixtures::control;

    #[test]
    fn a_value_reads_back_and_ends() {
        let control = Control { heartbeat: 1_000, ..control(1) };
        let split = Split::new(&control);
        assert_eq!(split.to_value(), "500:9500:1060:AAECAwQFBgcICQoLDA0ODw==");
        assert_eq!(Split::parse(&split.to_value()), Some(split.clone()));
        assert_eq!([1_059, 1_060].map(|now| split.weights_at(now)), [control.weights, Weights::CONTROL_ONLY]);
        assert_eq!(Split::closed().to_value(), "0:10000:0:");
        assert_eq!(Split::parse("0:10000:0:"), Some(Split::closed()));
        for wrong in ["", "500", "500:9500:1060", "x:9500:1060:", "10001:9500:1060:", "500:9500:-1:"] {
            assert_eq!(Split::parse(wrong), None, "{wrong}");
        }
    }
}
