//! Sums over lines of evidence, of one proxy or several. In: lines. Out: sums, the smallest examples, and the changes
//! of weights.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use tierup_rollout::{
    Latencies, Phase, Side, Weights,
    evidence::{Copies, Difference, Entry, Event, Line, Pair, Slot},
};

/// The most events that are remembered; the newest are kept.
const MOST_EVENTS: usize = 100;
/// The most changes of weights that are remembered; the newest are kept.
const MOST_CHANGES: usize = 1000;
/// The most examples that are remembered, over all routes and kinds.
const MOST_EXAMPLES: usize = 1000;
/// The most routes, as several proxies may name different ones.
const MOST_ROUTES: usize = 1000;
/// The most kinds of mismatches, or reasons, of a route.
const MOST_KINDS: usize = 100;
/// The name of all routes and kinds beyond these limits.
const OTHERS: &str = "(others)";

/// Sums over lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// When the first and the last line were written, in milliseconds since 1970.
    pub first: Option<u64>,
    pub last: u64,
    /// The total time of all slots of all proxies in milliseconds, and of those in which copies were made.
    pub lasted: u64,
    pub mirrored: u64,
    /// The number of proxies that began.
    pub proxies: u64,
    pub routes: BTreeMap<String, RouteSums>,
    pub sides: BTreeMap<Side, SideSums>,
    /// The smallest example of each route, pair and kind.
    pub examples: BTreeMap<(String, Pair, String), Difference>,
    /// The changes of each proxy in order of time, one proxy after the other.
    pub changes: Vec<Change>,
    /// The last change of the current proxy.
    last_change: Option<Change>,
    /// The events with their times.
    pub events: VecDeque<(u64, Event)>,
    /// What was in force in the last slot.
    pub now: Option<Change>,
    pub bad_not_listed: u64,
    /// Why the control file cannot be used, according to the last event.
    pub control_trouble: Option<String>,
}

/// The sums of one route.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RouteSums {
    pub live: BTreeMap<Side, LiveSums>,
    pub copies: BTreeMap<Pair, CopySums>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LiveSums {
    pub answered: u64,
    pub errors: u64,
    pub silent: u64,
}

/// The sums of one pair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopySums {
    pub same: u64,
    pub mismatched: u64,
    pub kinds: BTreeMap<String, u64>,
    pub dropped: BTreeMap<String, u64>,
    pub not_comparable: BTreeMap<String, u64>,
    /// In microseconds.
    pub took: u64,
    pub copy_took: u64,
}

/// The sums of one side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SideSums {
    pub live: LiveSums,
    pub latencies: Latencies,
    pub copy_latencies: Latencies,
    /// Processor time in seconds, and the [answers](Slot::answers_of) of the same slots; `None` if it is unknown.
    pub processor: Option<(f64, u64)>,
}

/// A change of weights: when it took effect, and the new weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// In milliseconds since 1970.
    pub at: u64,
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    pub weights: Weights,
}

impl Summary {
    pub fn take(&mut self, line: &Line) {
        self.first = Some(self.first.map_or(line.at, |first| first.min(line.at)));
        self.last = self.last.max(line.at);
        match &line.entry {
            Entry::Slot(slot) => self.slot(line.at, slot),
            Entry::Difference(difference) => self.difference(difference),
            Entry::Event(event) => self.event(line.at, event),
        }
    }

    /// The lines that follow are those of another proxy.
    pub fn next_proxy(&mut self) {
        self.last_change = None;
    }

    /// The number of requests that clients got an answer to, or waited for.
    pub fn asked(&self) -> u64 {
        self.sides.values().map(|side| side.live.answered + side.live.silent).sum()
    }

    /// The sums of all routes.
    pub fn copies(&self, pair: Pair) -> CopySums {
        let mut sums = CopySums::default();
        self.routes.values().filter_map(|route| route.copies.get(&pair)).for_each(|copies| sums.add(copies));
        sums
    }

    fn slot(&mut self, at: u64, slot: &Slot) {
        self.lasted += slot.lasted;
        self.mirrored += if slot.mirroring { slot.lasted } else { 0 };
        self.bad_not_listed += slot.bad_not_listed;
        let change = Change {
            at: at.saturating_sub(slot.lasted),
            ramp: slot.ramp.clone(),
            generation: slot.generation,
            phase: slot.phase,
            weights: slot.weights,
        };
        if !self.last_change.as_ref().is_some_and(|last| last.is_like(&change)) {
            self.changes.push(change.clone());
            if self.changes.len() > MOST_CHANGES {
                self.changes.remove(0);
            }
        }
        self.last_change = Some(change.clone());
        if self.now.as_ref().is_none_or(|now| now.at <= change.at) {
            self.now = Some(change);
        }
        for live in &slot.live {
            let sums = LiveSums { answered: live.answered, errors: live.errors, silent: live.silent };
            self.route(&live.route).live.entry(live.side).or_default().add(sums);
            self.sides.entry(live.side).or_default().live.add(sums);
        }
        for (side, latencies) in &slot.latencies {
            self.sides.entry(*side).or_default().latencies.merge(latencies);
        }
        for (side, latencies) in &slot.copy_latencies {
            self.sides.entry(*side).or_default().copy_latencies.merge(latencies);
        }
        for (side, seconds) in &slot.processor {
            let (sum, all) = self.sides.entry(*side).or_default().processor.get_or_insert_default();
            *sum += seconds;
            *all += slot.answers_of(*side);
        }
        for copies in &slot.copies {
            self.route(&copies.route).copies.entry(copies.pair).or_default().add(&CopySums::new(copies));
        }
    }

    fn route(&mut self, name: &str) -> &mut RouteSums {
        let has_room = self.routes.len() < MOST_ROUTES || self.routes.contains_key(name);
        self.routes.entry(if has_room { name } else { OTHERS }.to_owned()).or_default()
    }

    fn difference(&mut self, difference: &Difference) {
        let key = (difference.route.clone(), difference.pair, difference.kind.clone());
        let has_room = self.examples.len() < MOST_EXAMPLES;
        match self.examples.get_mut(&key) {
            Some(known) if known.size <= difference.size => {}
            Some(known) => *known = difference.clone(),
            None if has_room => {
                self.examples.insert(key, difference.clone());
            }
            None => {}
        }
    }

    fn event(&mut self, at: u64, event: &Event) {
        self.proxies += u64::from(matches!(event, Event::Began { .. }));
        if let Event::ControlFile { trouble } = event {
            self.control_trouble.clone_from(trouble);
        }
        self.events.push_back((at, event.clone()));
        if self.events.len() > MOST_EVENTS {
            self.events.pop_front();
        }
    }
}

impl Change {
    /// Whether the same ramp, generation, phase and weights are in force.
    pub fn is_like(&self, other: &Change) -> bool {
        let of = |change: &Change| (change.generation, change.phase, change.weights);
        of(self) == of(other) && self.ramp == other.ramp
    }
}

impl LiveSums {
    fn add(&mut self, other: LiveSums) {
        self.answered += other.answered;
        self.errors += other.errors;
        self.silent += other.silent;
    }
}

impl CopySums {
    fn new(copies: &Copies) -> CopySums {
        let Copies { same, mismatched, took, copy_took, .. } = *copies;
        CopySums {
            same,
            mismatched,
            kinds: copies.kinds.clone(),
            dropped: copies.dropped.clone(),
            not_comparable: copies.not_comparable.clone(),
            took,
            copy_took,
        }
    }

    pub fn add(&mut self, other: &CopySums) {
        self.same += other.same;
        self.mismatched += other.mismatched;
        self.took += other.took;
        self.copy_took += other.copy_took;
        for (own, others) in [
            (&mut self.kinds, &other.kinds),
            (&mut self.dropped, &other.dropped),
            (&mut self.not_comparable, &other.not_comparable),
        ] {
            for (name, count) in others {
                let has_room = own.len() < MOST_KINDS || own.contains_key(name);
                *own.entry(if has_room { name } else { OTHERS }.to_owned()).or_default() += count;
            }
        }
    }

    pub fn compared(&self) -> u64 {
        self.same + self.mismatched
    }

    /// The number of requests in the sample, copied or not.
    pub fn sampled(&self) -> u64 {
        self.compared() + self.not_comparable.values().sum::<u64>() + self.dropped.values().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_divided_by_all_compared_copies() {
        let copies = |pair, same| Copies { same, mismatched: 1, ..Copies::new("GET /", pair) };
        let mut by_chance = Latencies::default();
        by_chance.add(std::time::Duration::from_millis(1));
        let slot = Slot {
            copies: vec![copies(Pair::Verify, 29), copies(Pair::Candidate, 9)],
            copy_latencies: [(Side::Candidate, by_chance)].into(),
            processor: [(Side::Control, 3.0), (Side::Candidate, 1.0)].into(),
            ..Slot::default()
        };
        let mut summary = Summary::default();
        summary.take(&Line { number: 1, at: 1, entry: Entry::Slot(slot) });
        assert_eq!(summary.sides[&Side::Control].processor, Some((3.0, 30)));
        assert_eq!(summary.sides[&Side::Candidate].processor, Some((1.0, 10)));
    }
}
