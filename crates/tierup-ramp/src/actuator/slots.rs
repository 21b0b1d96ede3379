//! Collects answers into slots of evidence.

use std::{
    collections::BTreeMap,
    mem,
    time::{Duration, Instant},
};

use rand::RngExt as _;
use tierup_rollout::{
    Buckets, Control, Latencies, Peers, Side,
    evidence::{Bad, BadKind, Entry, LATE, Live, MOST_BAD, SLOT, Slot, Witness},
    network,
};

use crate::actuator::answer::Answer;

/// The route of all answers. A load balancer tells requests apart only by method, and by default its configuration
/// shares only requests that change nothing.
pub(crate) const EVERY_ROUTE: &str = "GET *";

/// The open slot, and the slots that ended since they were last taken.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    ended: Vec<Entry>,
    /// `None` before the first control file.
    slot: Option<Open>,
    peers: Peers,
}

#[derive(Debug)]
struct Open {
    began: Instant,
    ramp: String,
    buckets: Buckets,
    control: Slot,
    live: BTreeMap<Side, Live>,
    latencies: BTreeMap<Side, Latencies>,
    /// The number of bad answers so far, for the random choice of the listed ones.
    bad: u64,
}

impl Slots {
    /// Begins a new slot if the control file has changed: a slot belongs to one generation.
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
                buckets: Buckets::new(&control.key),
                control: slot,
                live: BTreeMap::new(),
                latencies: BTreeMap::new(),
                bad: 0,
            });
        }
    }

    pub(crate) fn add(&mut self, answer: Answer) {
        let Some(open) = &mut self.slot else { return };
        let Answer { side, bad, took, weights, client, address } = answer;
        let address = address.filter(|address| self.peers.is_one_client(*address));
        let network = |open: &Open| address.map(|address| open.buckets.of(&network(address)).0);
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
            Some(BadKind::Left) => {}
        }
        if let Some(took) = took {
            open.latencies.entry(side).or_default().add(took);
            if side == Side::Candidate && took >= LATE && open.control.late.len() < MOST_BAD {
                open.control.late.extend(Witness::new(Some(client.0), network(open)));
            }
        }
        if let Some(kind) = bad {
            let (client, network) = (Some(client.0), network(open));
            let bad = Bad { kind, route: EVERY_ROUTE.to_owned(), side, weights, client, network };
            open.bad += 1;
            open.list(bad);
        }
    }

    /// The entries since the last look. If a look failed, slots may lack answers, so they are dropped.
    pub(crate) fn after_look(&mut self, has_seen_all: bool, now: Instant) -> Vec<Entry> {
        if !has_seen_all {
            self.forget(now);
        }
        self.take()
    }

    /// Drops the open slot and the ended ones, as too little of them is known.
    pub(crate) fn forget(&mut self, now: Instant) {
        self.ended.retain(|entry| !matches!(entry, Entry::Slot(_)));
        if let Some(open) = &mut self.slot {
            open.restart(now);
        }
    }

    /// Adds an entry of another kind.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.ended.push(entry);
    }

    /// Ends the open slot if it is old enough. Returns whether slots have ended since they were last taken.
    pub(crate) fn end(&mut self, now: Instant) -> bool {
        let is_over = |open: &Open| now.duration_since(open.began) >= Duration::from_secs(SLOT);
        if self.slot.as_ref().is_some_and(is_over) {
            self.close(now);
        }
        self.ended.iter().any(|entry| matches!(entry, Entry::Slot(_)))
    }

    /// Takes the ended slots and other entries.
    pub(crate) fn take(&mut self) -> Vec<Entry> {
        mem::take(&mut self.ended)
    }

    fn close(&mut self, now: Instant) {
        if let Some(open) = &mut self.slot {
            let slot = open.restart(now);
            // A slot that a change of the weights ended at once shows nothing.
            if slot.lasted > 0 {
                self.ended.push(Entry::Slot(slot));
            }
        }
    }
}

impl Open {
    /// Lists [`MOST_BAD`] bad answers, each with the same probability (reservoir sampling, Vitter 1985, algorithm R).
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

    /// Returns the slot as it is, and begins another one of the same generation.
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
    use tierup_rollout::{Bucket, Weights, evidence::Event};

    use super::*;
    use crate::actuator::fixtures::control;

    fn answer(side: Side, bad: Option<BadKind>) -> Answer {
        let took = bad.is_none().then_some(Duration::from_millis(3));
        Answer { side, bad, took, weights: Weights::CONTROL_ONLY, client: Bucket(7), address: None }
    }

    fn taken(slots: &mut Slots, now: Instant) -> Vec<Slot> {
        slots.end(now);
        self::slots(slots.take())
    }

    fn slots(entries: Vec<Entry>) -> Vec<Slot> {
        let slot = |entry| if let Entry::Slot(slot) = entry { slot } else { panic!("{entry:?}") };
        entries.into_iter().map(slot).collect()
    }

    #[test]
    fn a_slot_has_one_generation_and_ends_after_its_time() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        // The weights are not known yet.
        collected.add(answer(Side::Control, None));
        collected.control(&control(1), at(0));
        collected.add(answer(Side::Control, None));
        collected.add(answer(Side::Candidate, Some(BadKind::Error)));
        collected.control(&control(1), at(2));
        assert!(!collected.end(at(4)) && collected.take().is_empty());
        collected.control(&control(2), at(4));
        collected.add(answer(Side::Candidate, Some(BadKind::TimedOut)));
        let found = taken(&mut collected, at(9));
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
    fn forgotten_slots_are_dropped_and_events_are_kept() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        let at = |seconds| began + Duration::from_secs(seconds);
        collected.control(&control(1), at(0));
        collected.add(answer(Side::Control, None));
        assert!(collected.end(at(5)));
        collected.add(answer(Side::Control, None));
        collected.push(Entry::Event(Event::Ended));
        collected.forget(at(7));
        assert_eq!(collected.take(), [Entry::Event(Event::Ended)]);
        assert!(!collected.end(at(11)) && collected.end(at(12)));
        let slot = taken(&mut collected, at(12)).remove(0);
        assert!(slot.lasted == 5000 && slot.live.is_empty(), "{slot:?}");
    }

    #[test]
    fn invented_keys_of_one_address_count_as_one_client() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        collected.control(&control(1), began);
        for key in 0..30 {
            let by = |address: [u8; 4]| Answer {
                client: Bucket(key),
                took: Some(LATE),
                address: Some(address.into()),
                ..answer(Side::Candidate, Some(BadKind::Error))
            };
            collected.add(by([203, 0, 113, 7]));
            collected.add(Answer { address: Some([127, 0, 0, 1].into()), ..by([0; 4]) });
        }
        let slot = taken(&mut collected, began + Duration::from_secs(5)).remove(0);
        let networks = |is_one: bool| slot.bad.iter().filter(move |bad| bad.network.is_some() == is_one);
        assert_eq!((networks(true).count(), networks(false).count()), (30, 30));
        let first = slot.bad[0].network;
        assert!(first.is_some() && networks(true).all(|bad| bad.network == first));
        assert_eq!(slot.late.iter().filter(|late| late.is_network).count(), 30);
    }

    #[test]
    fn all_bad_answers_are_counted_and_a_random_part_is_listed() {
        let (mut collected, began) = (Slots::default(), Instant::now());
        collected.control(&control(1), began);
        for index in 0..3000 {
            collected.add(answer(if index < 1500 { Side::Control } else { Side::Candidate }, Some(BadKind::Broken)));
        }
        let slot = taken(&mut collected, began + Duration::from_secs(5)).remove(0);
        assert_eq!((slot.bad.len(), slot.bad_not_listed), (MOST_BAD, 2000));
        // Half of them are the candidate's. The tolerance is ten standard deviations of a hypergeometric distribution.
        let of_candidate = slot.bad.iter().filter(|bad| bad.side == Side::Candidate).count();
        assert!((370..630).contains(&of_candidate), "{of_candidate}");
    }
}
