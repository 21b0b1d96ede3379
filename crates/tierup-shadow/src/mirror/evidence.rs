//! What comparing comes to: a count for each copy, and a few mismatches as examples, the smallest of their kinds.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tierup_parity::{Differences, Finding, Observation};
use tierup_rollout::{
    Side,
    evidence::{Difference, Event, Pair},
};

use super::example::{Crowds, Mismatch, size};
use crate::{
    collector::{Collector, Compared, Counter, Route, Took},
    copy::Copied,
    hidden::Hidden,
};

/// Kinds of mismatches that are kept with an example, for each route.
const MOST_KINDS: usize = 20;
/// Examples in [`EVERY`]: the counts have all mismatches, and files are not filled by a candidate that is wrong everywhere.
const MOST_EXAMPLES: u32 = 50;
const EVERY: Duration = Duration::from_secs(10);

/// The comparing thread's counts, and what it remembers of examples.
#[derive(Debug)]
pub(super) struct Findings {
    counter: Counter,
    hidden: Hidden,
    /// By kind, with the size of the smallest request so far.
    smallest: BTreeMap<(Route, Pair), BTreeMap<String, u64>>,
    crowds: Crowds,
    room: Room,
}

/// How many more examples there may be.
#[derive(Debug)]
struct Room {
    began: Instant,
    examples: u32,
}

impl Findings {
    pub(super) fn new(collector: &Collector, hidden: Hidden) -> Findings {
        let counter = collector.counter();
        let (smallest, crowds) = Default::default();
        Findings { counter, hidden, smallest, crowds, room: Room { began: Instant::now(), examples: 0 } }
    }

    /// A copy that was answered, or was not.
    pub(super) fn add(
        &mut self,
        pair: Pair,
        copied: &Copied,
        client: &Observation,
        copy: &Observation,
        finding: &Finding,
    ) {
        let compared = match finding {
            Finding::Same => Compared::Same,
            Finding::Mismatch(differences) => Compared::Mismatch(self.example(pair, copied, client, copy, differences)),
            // Behind the colon is what a normalizer says, which may be of the body.
            Finding::Error(why) | Finding::Skipped(why) => {
                Compared::NotComparable(why.split(": ").next().unwrap_or_default().to_owned())
            }
        };
        let [answer, copy] = [client, copy].map(|observation| observation.took.unwrap_or_default());
        let took = Took { answer, copy, by_chance: copied.by == Side::Control };
        self.counter.copy(copied.route, pair, compared, took);
    }

    /// Keeps a mismatch if it is a smaller one of its kind, and says which that is.
    fn example(
        &mut self,
        pair: Pair,
        copied: &Copied,
        control: &Observation,
        other: &Observation,
        differences: &Differences,
    ) -> String {
        let Some(first) = differences.list.first() else { return "not kept".to_owned() };
        let route = self.counter.collector().route_name(copied.route);
        let mismatch = Mismatch { route: &route, pair, copied, control, other, first };
        let mismatch = mismatch.located(&self.hidden, &mut self.crowds);
        let kind = mismatch.kind();
        let kinds = self.smallest.entry((copied.route, pair)).or_default();
        let known = kinds.get(&kind).copied();
        let is_wanted = known.map_or(kinds.len() < MOST_KINDS, |known| size(copied) < known);
        if is_wanted && self.room.take() {
            kinds.insert(kind.clone(), size(copied));
            self.counter.collector().difference(mismatch.shown());
        }
        kind
    }

    /// A mismatch that both servers gave again, each time they were asked.
    pub(super) fn confirmed(
        &mut self,
        copied: &Copied,
        control: &Observation,
        candidate: &Observation,
        differences: &Differences,
    ) {
        let Some(first) = differences.list.first() else { return };
        let collector = self.counter.collector();
        let route = collector.route_name(copied.route);
        let mismatch = Mismatch { route: &route, pair: copied.pair, copied, control, other: candidate, first };
        let Difference { route, request, words, .. } = mismatch.located(&self.hidden, &mut self.crowds).shown();
        collector.event(Event::Confirmed { route, request, words });
    }
}

impl Room {
    fn take(&mut self) -> bool {
        if self.began.elapsed() >= EVERY {
            (self.began, self.examples) = (Instant::now(), 0);
        }
        self.examples += 1;
        self.examples <= MOST_EXAMPLES
    }
}
