//! Collects answers into slots of evidence.

use std::{
    collections::BTreeMap,
    mem,
    time::{Duration, Instant},
};

use rand::RngExt as _;
use tierup_rollout::{
    Control, Latencies, Side,
    evidence::{Bad, BadKind, Entry, Live, MOST_BAD, SLOT, Slot},
};

use crate::answer::Answer;

/// The route of all answers: a load balancer tells requests apart by method only, and its configuration gives away
/// requests that change nothing, unless the operator adds others.
pub const EVERY_ROUTE: &str = "GET *";

/// The slot that lasts, and those that ended since they were last taken.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    ended: Vec<Entry>,
    /// `None` before the first control.
    slot: Option<Open>,
}

#[derive(Debug)]
struct Open {
    began: Instant,
    ramp: String,
    control: Slot,
    live: BTreeMap<Side, Live>,
    latencies: BTreeMap<Side, Latencies>,
    /// Bad answers so far, for the choice by chance of those that are listed.
    bad: u64,
}

impl Slots {
    /// Another control is in force: a slot belongs to one generation.
    pub(crate) fn control(&mut self, control: &Control, now: Instant) {
        let same = |open: &Open| open.ramp == control.ramp && open.control.generation == control.generation;
        if !self.slot.as_ref().is_some_and(same) {
            self.close(now);
            let slot = Slot {
                ramp: Some(control.ramp.clone()),
                generation: control.generation,
                phase: Some(control.phase),
                ..Slot::default()
            };
            self.slot = Some(Open {
                began: now,
                ramp: control.ramp.clone(),
                control: slot,
                live: BTreeMap::new(),
                latencies: BTreeMap::new(),
                bad: 0,
            });
        }
    }

    pub(crate) fn add(&mut self, answer: Answer) {
        let Some(open) = &mut self.slot else { return };
        let Answer { side, bad, took, weights, client } = answer;
        let live = open.live.entry(side).or_insert_with(|| Live {
            route: EVERY_ROUTE.to_owned(),
            side,
            answered: 0,
            errors: 0,
            silent: 0,
        });
        match bad {
            None => live.answered += 1,
            Some(BadKind::Error) => {
                live.answered += 1;
                live.errors += 1;
            }
            Some(BadKind::TimedOut | BadKind::Broken) => live.silent += 1,
        }
        if let Some(took) = took {
            open.latencies.entry(side).or_default().add(took);
        }
        if let Some(kind) = bad {
            let bad = Bad { kind, route: EVERY_ROUTE.to_owned(), side, weights, client: Some(client.0) };
            open.bad += 1;
            open.list(bad);
        }
    }

    /// The answers of the slot that lasts.
    pub(crate) fn answers(&self) -> u64 {
        let all = |open: &Open| open.live.values().map(|live| live.answered + live.silent).sum();
        self.slot.as_ref().map_or(0, all)
    }

    /// Forgets the slot that lasts, as too little of it is known.
    pub(crate) fn forget(&mut self, now: Instant) {
        if let Some(open) = &mut self.slot {
            open.restart(now);
        }
    }

    /// Puts an entry of another kind among the slots.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.ended.push(entry);
    }

    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.slot.as_ref().is_some_and(|open| now.duration_since(open.began) >= Duration::from_secs(SLOT))
    }

    /// What ended. A slot that is old enough ends now.
    pub(crate) fn take(&mut self, now: Instant) -> Vec<Entry> {
        if self.is_over(now) {
            self.close(now);
        }
        mem::take(&mut self.ended)
    }

    fn close(&mut self, now: Instant) {
        if let Some(open) = &mut self.slot {
            let slot = open.restart(now);
            // Nothing can be learnt from a slot that a change of the weights ended at once.
            if slot.lasted > 0 {
                self.ended.push(Entry::Slot(slot));
            }
        }
    }
}

impl Open {
    /// Lists [`MOST_BAD`] bad answers, each with the same chance (reservoir sampling, Vitter 1985, algorithm R).
    fn list(&mut self, bad: Bad) {
        let listed = &mut self.control.bad;
        if listed.len() < MOST_BAD {
            listed.push(bad);
            return;
        }
        self.control.bad_not_listed += 1;
        let place = rand::rng().random_range(0..self.bad);
        if let Some(instead) = usize::try_from(place).ok().and_then(|place| listed.get_mut(place)) {
            *instead = bad;
        }
    }

    /// The slot as it is; another one of the same generation begins.
    fn restart(&mut self, now: Instant) -> Slot {
        let next = Slot {
            ramp: self.control.ramp.clone(),
            generation: self.control.generation,
            phase: self.control.phase,
            ..Slot::default()
        };
        let mut slot = mem::replace(&mut self.control, next);
        slot.lasted = u64::try_from(now.duration_since(self.began).as_millis()).unwrap_or(u64::MAX);
        slot.live = mem::take(&mut self.live).into_values().collect();
        slot.latencies = mem::take(&mut self.latencies);
        self.began = now;
        self.bad = 0;
        slot
    }
}

#[cfg(test)]
mod tests {
    use tierup_rollout::{Bucket, Part, Phase, RampKey, Weights};

    use super::*;

    fn control(generation: u64) -> Control {
        Control {
            ramp: "3f2a9c01".into(),
            generation,
            heartbeat: 0,
            phase: Phase::Ramping,
            weights: Weights::CONTROL_ONLY,
            mirror: Part::NONE,
            second: Part::NONE,
            verify: Part::NONE,
            key: RampKey::new([0; 16]),
        }
    }

    fn answer(side: Side, bad: Option<BadKind>) -> Answer {
        let took = bad.is_none().then_some(Duration::from_millis(3));
        Answer { side, bad, took, weights: Weights::CONTROL_ONLY, client: Bucket(7) }
    }

    fn slots(entries: Vec<Entry>) -> Vec<Slot> {
        let slot = |entry| if let Entry::Slot(slot) = entry { slot } else { panic!("{entry:?}") };
        entries.into_iter().map(slot).collect()
    }

    #[test]
    fn a_slot_has_one_generation_and_ends_after_its_time() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        // Nothing is known of the weights yet.
        collected.add(answer(Side::Control, None));
        collected.control(&control(1), at(0));
        collected.add(answer(Side::Control, None));
        collected.add(answer(Side::Candidate, Some(BadKind::Error)));
        collected.control(&control(1), at(2));
        assert!(collected.take(at(4)).is_empty());
        collected.control(&control(2), at(4));
        collected.add(answer(Side::Candidate, Some(BadKind::TimedOut)));
        let found = slots(collected.take(at(9)));
        let shape = |slot: &Slot| (slot.generation, slot.lasted, slot.bad.len(), slot.live.len());
        assert_eq!(found.iter().map(shape).collect::<Vec<_>>(), [(1, 4000, 1, 2), (2, 5000, 1, 1)]);
        let counts = |live: &Live| (live.side, live.answered, live.errors, live.silent);
        assert_eq!(
            found[0].live.iter().map(counts).collect::<Vec<_>>(),
            [(Side::Control, 1, 0, 0), (Side::Candidate, 1, 1, 0)]
        );
        assert_eq!(found[1].live.iter().map(counts).collect::<Vec<_>>(), [(Side::Candidate, 0, 0, 1)]);
        assert_eq!(found[0].latencies.values().map(Latencies::count).sum::<u64>(), 1);
    }

    #[test]
    fn of_many_bad_answers_some_are_listed_and_all_are_counted() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        collected.control(&control(1), began);
        for index in 0..3000 {
            collected.add(answer(if index < 1500 { Side::Control } else { Side::Candidate }, Some(BadKind::Broken)));
        }
        let slot = slots(collected.take(began + Duration::from_secs(5))).remove(0);
        assert_eq!((slot.bad.len(), slot.bad_not_listed), (MOST_BAD, 2000));
        // Half of them are the candidate's: ten standard deviations of a hypergeometric distribution.
        let of_candidate = slot.bad.iter().filter(|bad| bad.side == Side::Candidate).count();
        assert!((370..630).contains(&of_candidate), "{of_candidate}");
    }
}
