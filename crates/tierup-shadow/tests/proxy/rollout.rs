//! Shared by tests of a rollout: a state folder with a control file, a mirror, and counts.

use std::{
    fs, thread,
    time::{Duration, Instant, SystemTime},
};

use tempfile::TempDir;
use tierup_parity::{Policy, compare};
use tierup_rollout::{Control, Part, Phase, RampKey, Weights, evidence::Slot};
use tierup_shadow::{
    Routes, Share, Show,
    parts::{Candidate, Collector, Copied, Hidden, Mirror, Mirrored, Pacing, Steering},
};
use tokio::sync::mpsc::UnboundedReceiver;

/// The candidate answers all clients with a key.
pub(crate) const ALL: Weights = Weights { candidate: Part::ALL, twin: Part::NONE };

/// A control file as a judge writes it now.
pub(crate) fn control_file(generation: u64, phase: Phase, weights: Weights, mirrored: Mirrored) -> Control {
    Control {
        ramp: "3f2a9c01".into(),
        generation,
        heartbeat: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_secs(),
        phase,
        weights,
        mirror: mirrored.sample,
        second: mirrored.second,
        verify: mirrored.verify,
        key: RampKey::new([5; 16]),
    }
}

/// A state folder.
pub(crate) struct State(TempDir);

impl State {
    /// A state folder with this control file in force.
    pub(crate) fn new(control: &Control) -> State {
        let state = State(tempfile::tempdir().expect("a folder"));
        state.write(control);
        state
    }

    pub(crate) fn write(&self, control: &Control) {
        let [new, path] = ["new", "control"].map(|name| self.0.path().join(name));
        fs::write(&new, control.to_string()).and_then(|()| fs::rename(new, path)).expect("it is written");
    }

    pub(crate) fn remove(&self) {
        fs::remove_file(self.0.path().join("control")).expect("it was there");
    }

    /// Steers by the header `X-User`, which identifies clients.
    pub(crate) fn steering(&self, routes: Routes, pacing: Pacing) -> Steering {
        let sticky = Some("header:x-user".parse().expect("a key"));
        Steering::follow(self.0.path().join("control"), sticky, routes, pacing).expect("it starts")
    }
}

/// A mirror that compares by this policy.
pub(crate) fn mirror(
    candidate: Candidate,
    copied: UnboundedReceiver<Copied>,
    policy: Policy,
    collector: &Collector,
) -> Mirror {
    let compare = Box::new(move |_: &str, control: &_, candidate: &_| compare(control, candidate, &policy));
    let share = Share::new(1.0).expect("it is one");
    Mirror::start(candidate, copied, compare, share, collector, Hidden::new(Vec::new(), Show::all()))
        .expect("it starts")
}

/// The counts, once this holds.
pub(crate) fn slot(collector: &Collector, holds: impl Fn(&Slot) -> bool) -> Slot {
    let began = Instant::now();
    loop {
        let slot = collector.look();
        if holds(&slot) {
            return slot;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{slot:?}");
        thread::sleep(Duration::from_millis(10));
    }
}
