//! Values that several tests use.

use tierup_rollout::{Control, Part, Phase, RampKey, Weights};

/// A control file with 5 % for the candidate and its twin.
pub(crate) fn control(generation: u64) -> Control {
    Control {
        ramp: "3f2a9c01".into(),
        generation,
        heartbeat: 1_795_406_400,
        phase: Phase::Ramping,
        weights: Weights::with_twin("5%".parse().expect("a part")),
        mirror: Part::ALL,
        second: Part::NONE,
        verify: Part::NONE,
        key: RampKey::new(std::array::from_fn(|index| index as u8)),
    }
}
