//! Decides what is mirrored now. In: the parts that the control file asks for, and how long control's answers take with
//! and without mirroring. Out: the parts for the [`Sampled`], and the [`Regime`] of the slot for the evidence.

mod pace;

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tierup_rollout::{
    Part, Side,
    evidence::{Event, Slot},
};

use self::pace::{Pace, SLOT, Work};
use crate::{
    collector::{Collector, Regime},
    in_force::{InForce, Mirrored},
    sample::Sampled,
};

/// A slot of the evidence may end this much too early.
const ALMOST: Duration = Duration::from_millis(500);

/// Decides what is mirrored. All clones share one state.
#[derive(Debug, Clone)]
pub struct Pacing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sampled: Arc<Sampled>,
    collector: Collector,
    without: Mirrored,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    in_force: InForce,
    pace: Pace,
    /// Control's work since mirroring was last decided.
    work: Work,
    worked: Duration,
    /// The time since the beginning.
    passed: Duration,
    slots: u64,
    chance: RandomState,
    /// The last change, for people.
    said: Option<String>,
}

impl Pacing {
    /// Decides for this sample, and tells the collector. Without a control file, `without` is mirrored. If its second
    /// part is 0, no twin gets copies, whatever a control file asks for.
    pub fn new(sampled: Arc<Sampled>, without: Mirrored, collector: &Collector) -> Pacing {
        let state = State {
            in_force: InForce::without(without),
            pace: Pace::new(),
            work: Work::default(),
            worked: Duration::ZERO,
            passed: Duration::ZERO,
            slots: 0,
            said: None,
            chance: RandomState::new(),
        };
        let pacing =
            Pacing(Arc::new(Inner { sampled, collector: collector.clone(), without, state: Mutex::new(state) }));
        pacing.in_force(InForce::without(without));
        pacing
    }

    /// Takes in a slot of the evidence that has ended.
    pub fn take(&self, slot: &Slot) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let lasted = Duration::from_millis(slot.lasted);
        let latencies = slot.latencies.get(&Side::Control).cloned().unwrap_or_default();
        // If a slot has no answers, its missing processor time does not matter.
        let processor = slot.processor.get(&Side::Control).copied();
        state.work.add(&Work { latencies, processor });
        state.worked += lasted;
        state.passed += lasted;
        if state.worked + ALMOST < SLOT {
            return;
        }
        state.slots += 1;
        state.worked = Duration::ZERO;
        let work = std::mem::take(&mut state.work);
        let (now, chance) = (state.passed, state.chance.hash_one(state.slots));
        if let Some(change) = state.pace.next(&work, now, chance) {
            let sample = state.in_force.mirrored.sample;
            let [from, to] = [change.before, state.pace.setting()].map(|setting| setting.part_of(sample));
            state.said = Some(format!("copying {to} of the requests now, not {from}: {}", change.why));
            self.0.collector.event(Event::Slowed { from, to, why: change.why.to_owned() });
        }
        self.0.apply(&state);
    }

    /// Puts this into force.
    pub(crate) fn in_force(&self, in_force: InForce) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.in_force = in_force;
        self.0.apply(&state);
    }

    /// The last change because of the cost of mirroring, in words.
    pub fn said(&self) -> Option<String> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).said.clone()
    }

    /// What is in force without a control file.
    pub(crate) fn without(&self) -> InForce {
        InForce::without(self.0.without)
    }

    pub(crate) fn collector(&self) -> &Collector {
        &self.0.collector
    }
}

impl Inner {
    fn apply(&self, state: &State) {
        let (setting, InForce { mirrored, .. }) = (state.pace.setting(), &state.in_force);
        let part = |of: Part| if setting.mirroring { setting.fraction_of(of) } else { 0.0 };
        let second = if self.without.second == Part::NONE { Part::NONE } else { mirrored.second };
        let sample = self.sampled.set(part(mirrored.sample), second, part(mirrored.verify));
        self.collector.set_regime(Regime {
            ramp: state.in_force.ramp.clone(),
            generation: state.in_force.generation,
            phase: state.in_force.phase,
            weights: state.in_force.weights,
            mirroring: setting.mirroring,
            // A part of at least 1/20,000 is rounded to 1/10,000.
            sample: Part::of_ten_thousand((sample * 10_000.0).round() as u16).unwrap_or(Part::ALL),
            second,
        });
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;
    use tierup_rollout::{
        Latencies, Phase,
        evidence::{Entry, Pair},
    };

    use super::*;
    use crate::collector::Note;

    /// Five seconds with many answers of control, each of which took this long.
    fn slot(took: Duration) -> Slot {
        let mut latencies = Latencies::default();
        (0..1000).for_each(|_| latencies.add(took));
        Slot { lasted: 5000, latencies: [(Side::Control, latencies)].into(), ..Slot::default() }
    }

    #[test]
    fn a_sample_that_slows_control_is_halved_and_reported() {
        let (collector, notes) = Collector::new(&[]);
        let sampled = Arc::new(Sampled::new(0.5, &[]).expect("it is sound"));
        let pacing = Pacing::new(Arc::clone(&sampled), Mirrored::default(), &collector);
        assert_eq!(collector.regime().sample.to_string(), "50%");
        let head = Request::new(()).into_parts().0;
        let (mut pauses, mut halved) = (0, None);
        for _ in 0..200 {
            let is_on = collector.regime().mirroring;
            if !is_on {
                pauses += 1;
                assert_eq!(collector.regime().sample, Part::NONE);
                assert!((0..100).all(|_| sampled.pair(&head, Side::Control).is_none()), "nothing is mirrored");
            }
            pacing.take(&slot(Duration::from_millis(if is_on { 20 } else { 10 })));
            halved = notes.try_iter().find_map(|note| match note {
                Note::Entry(Entry::Event(Event::Slowed { from, to, .. })) => Some((from, to)),
                _ => None,
            });
            if halved.is_some() {
                break;
            }
        }
        assert_eq!(halved.map(|(from, to)| (from.to_string(), to.to_string())), Some(("100%".into(), "50%".into())));
        assert!(
            pacing
                .said()
                .is_some_and(|said| said.starts_with("copying 50% of the requests now, not 100%: control's p99"))
        );
        assert!(pauses >= 7, "seven blocks at least: {pauses}");
        let taken = (0..100_000).filter(|_| sampled.pair(&head, Side::Control).is_some()).count();
        assert!(taken == 0 || (24_000..26_000).contains(&taken), "half of a half, unless this slot pauses: {taken}");
    }

    #[test]
    fn the_control_files_parts_are_mirrored_and_in_the_evidence() {
        let (collector, _notes) = Collector::new(&[]);
        let sampled = Arc::new(Sampled::new(1.0, &[]).expect("it is sound"));
        let pacing = Pacing::new(Arc::clone(&sampled), Mirrored::default(), &collector);
        let mirrored = Mirrored { sample: Part::NONE, second: Part::ALL, verify: Part::ALL };
        let in_force = InForce { generation: 3, phase: Some(Phase::Ramping), mirrored, ..InForce::default() };
        pacing.in_force(in_force);
        let regime = collector.regime();
        assert_eq!((regime.generation, regime.phase, regime.sample), (3, Some(Phase::Ramping), Part::NONE));
        assert_eq!(regime.second, Part::NONE, "there is no twin");
        let head = Request::new(()).into_parts().0;
        let pairs = [Side::Control, Side::Candidate].map(|side| sampled.pair(&head, side));
        assert_eq!(pairs, [None, Some(Pair::Verify)]);
    }
}
