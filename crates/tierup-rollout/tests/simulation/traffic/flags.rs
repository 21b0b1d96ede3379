//! Flags that each process polls for itself, so that answers differ until all have polled.

use rand::{RngExt, rngs::StdRng};

use super::SECONDS;

pub(super) struct Flags {
    /// The part of the answers that a flag changes, and the seconds between changes.
    world: Option<(f64, f64)>,
    /// When control, candidate and twin poll, within [`POLLED`] seconds.
    phases: [f64; 3],
    changes: Vec<f64>,
    now: f64,
    /// The parts of the answers that differ in this slot: candidate and control, twin and control.
    pub(super) differ: [f64; 2],
}

const POLLED: f64 = 30.0;

impl Flags {
    pub(super) fn new(world: Option<(f64, f64)>, random: &mut StdRng) -> Flags {
        let phases = if world.is_some() { [(); 3].map(|()| random.random_range(0.0..POLLED)) } else { [0.0; 3] };
        Flags { world, phases, changes: Vec::new(), now: 0.0, differ: [0.0; 2] }
    }

    pub(super) fn slot(&mut self, random: &mut StdRng) {
        let Some((part, every)) = self.world else { return };
        self.differ = [0.0; 2];
        let steps = 50;
        for _ in 0..steps {
            self.now += SECONDS / f64::from(steps);
            if random.random_bool(SECONDS / f64::from(steps) / every) {
                self.changes.push(self.now);
            }
            let knows = |phase: f64| {
                let polled = ((self.now - phase) / POLLED).floor() * POLLED + phase;
                self.changes.iter().filter(|change| **change <= polled).count() % 2
            };
            let [control, candidate, twin] = self.phases.map(knows);
            for (differ, other) in self.differ.iter_mut().zip([candidate, twin]) {
                *differ += if other == control { 0.0 } else { part / f64::from(steps) };
            }
        }
    }
}
