//! What a file of `split_clients` says about itself, in one line, and whether it must be replaced.

use std::fmt;

use tierup_rollout::{Control, Part, Weights};

/// How long a file is in force, in seconds. Each new file needs a reload, which ends idle connections of clients: once
/// in five minutes is acceptable. Without a judge, control answers every request after at most ten minutes.
pub(super) const LIFE: u64 = 600;

/// What the file in force says about itself: `3f2a9c01:500:9500:1795406400`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InForce {
    pub(super) ramp: String,
    pub(super) weights: Weights,
    /// In seconds since 1970.
    pub(super) until: u64,
}

impl InForce {
    /// Whether the file need not be replaced yet.
    pub(super) fn does_for(&self, control: &Control) -> bool {
        let same = self.ramp == control.ramp && self.weights == control.weights;
        // A file is replaced at half of its life, so that writing it may fail a few times.
        let half = LIFE / 2;
        let is_young = control.weights == Weights::CONTROL_ONLY || self.until >= control.heartbeat.saturating_add(half);
        // A file with a later end was written before the clock was set back, and would not end in time.
        same && is_young && self.until <= control.heartbeat.saturating_add(2 * half)
    }

    pub(super) fn weights_at(&self, now: u64) -> Weights {
        if now < self.until { self.weights } else { Weights::CONTROL_ONLY }
    }

    pub(super) fn parse(text: &str) -> Option<InForce> {
        let mut fields = text.trim().split(':');
        let ramp = fields.next()?.to_owned();
        let mut part = || Part::of_ten_thousand(fields.next()?.parse().ok()?).ok();
        let weights = Weights { candidate: part()?, twin: part()?.rest() };
        let until = fields.next()?.parse().ok()?;
        fields.next().is_none().then_some(InForce { ramp, weights, until })
    }
}

impl fmt::Display for InForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.ramp, written(self.weights), self.until)
    }
}

/// The end of the candidate's places and the beginning of the twin's.
pub(super) fn written(weights: Weights) -> String {
    format!("{}:{}", weights.candidate.ten_thousandths(), weights.twin.rest().ten_thousandths())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actuator::fixtures::control;

    #[test]
    fn a_file_suffices_while_it_is_young_and_has_the_same_weights() {
        let mut control = control(1);
        let in_force = InForce { ramp: control.ramp.clone(), weights: control.weights, until: 1_795_407_000 };
        assert_eq!(in_force.to_string(), "3f2a9c01:500:9500:1795407000");
        assert_eq!(InForce::parse(&in_force.to_string()), Some(in_force.clone()));
        let does = |seconds: i64, control: &Control| {
            let heartbeat = control.heartbeat.saturating_add_signed(seconds);
            in_force.does_for(&Control { heartbeat, ..control.clone() })
        };
        assert_eq!([-1, 0, 300, 301].map(|seconds| does(seconds, &control)), [false, true, true, false]);
        control.weights = Weights::CONTROL_ONLY;
        assert!(!does(0, &control));
        control.weights = in_force.weights;
        control.ramp = "00000000".into();
        assert!(!does(0, &control));
        for wrong in ["", "a:b:c:d", "3f2a9c01:500:9500", "3f2a9c01:500:9500:1:2", "3f2a9c01:10001:9500:1"] {
            assert_eq!(InForce::parse(wrong), None, "{wrong}");
        }
    }
}
