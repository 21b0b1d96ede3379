//! The results of comparing: a count for each copy, and a few mismatches as examples, the smallest of their kinds.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use tierup_parity::{Differences, Finding, Observation, Seen, Silence};
use tierup_rollout::{
    Side,
    evidence::{Confirmed, Difference, Event, Pair, is_ordinary},
};

use super::{
    candidate::target,
    example::{Crowds, Mismatch, size, targets},
};
use crate::{
    collector::{Collector, Compared, Counter, Took},
    copy::Copied,
    hidden::Hidden,
};

/// The most kinds of mismatches of a route that are kept with an example.
const MOST_KINDS: usize = 20;
/// The most examples in [`EVERY`]: a candidate that is always wrong must not fill files. The counts have all.
const MOST_EXAMPLES: u32 = 50;
const EVERY: Duration = Duration::from_secs(10);
/// How long a client's network counts only once.
const HOUR: Duration = Duration::from_secs(3600);
/// The most networks that are told apart. Mismatches of further ones do not count, whoever was asked.
const MOST_WITNESSES: usize = 16_384;

/// The comparing thread's counts, and what it remembers of examples.
#[derive(Debug)]
pub(super) struct Findings {
    counter: Counter,
    hidden: Hidden,
    /// By route and kind, the size of the smallest request. A route gets another example once its name is written.
    smallest: BTreeMap<(Arc<str>, Pair), BTreeMap<String, u64>>,
    crowds: Crowds,
    room: Room,
    witnesses: Witnesses,
}

/// The networks of clients whose mismatches were evidence within [`HOUR`]: a client that has found requests that differ
/// may send any number of them, on any number of routes.
#[derive(Debug, Default)]
struct Witnesses {
    began: Option<Instant>,
    seen: BTreeSet<u64>,
}

/// How many examples there were in the current period.
#[derive(Debug)]
struct Room {
    began: Instant,
    examples: u32,
}

impl Findings {
    pub(super) fn new(collector: &Collector, hidden: Hidden) -> Findings {
        let counter = collector.counter();
        let (smallest, crowds) = Default::default();
        Findings {
            counter,
            hidden,
            smallest,
            crowds,
            room: Room { began: Instant::now(), examples: 0 },
            witnesses: Witnesses::default(),
        }
    }

    /// Counts a copy that was answered or not.
    pub(super) fn add(
        &mut self,
        pair: Pair,
        copied: &Copied,
        client: &Observation,
        copy: &Observation,
        finding: &Finding,
    ) {
        for target in [client, copy].into_iter().flat_map(targets).chain([target(copied)]) {
            self.hidden.note(target, copied.client);
        }
        let compared = match finding {
            Finding::Same => Compared::Same,
            Finding::Mismatch(differences) => {
                // With [`Pair::Verify`], the copy asked control.
                let control = if pair == Pair::Verify { copy } else { client };
                let kind = self.example(pair, copied, client, copy, differences);
                let mut is_first = || self.witnesses.is_first(copied.client, Instant::now());
                let is_evidence = is_ordinary(status(control)) && (!copied.is_network || is_first());
                Compared::Mismatch { kind, is_evidence }
            }
            // After the colon is a normalizer's message, which may contain a part of the body.
            Finding::Error(why) | Finding::Skipped(why) => {
                Compared::NotComparable(why.split(": ").next().unwrap_or_default().to_owned())
            }
        };
        let (control, other) = if pair == Pair::Verify { (copy, client) } else { (client, copy) };
        if let Some(is_both) = both_hold(control, other) {
            self.counter.held(copied.route, pair, is_both);
        }
        let [answer, copy] = [client, copy].map(|observation| observation.took.unwrap_or_default());
        let took = Took { answer, copy, by_chance: copied.by == Side::Control };
        self.counter.copy(copied.route, pair, compared, took);
    }

    /// Keeps a mismatch as an example if it is the smallest of its kind. Returns the kind.
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
        let kinds = self.smallest.entry((Arc::clone(&route), pair)).or_default();
        let known = kinds.get(&kind).copied();
        let is_wanted = known.map_or(kinds.len() < MOST_KINDS, |known| size(copied) < known);
        if is_wanted && self.room.take() {
            kinds.insert(kind.clone(), size(copied));
            self.counter.collector().difference(mismatch.shown());
        }
        kind
    }

    /// Reports a mismatch that both servers repeated each time they were asked.
    pub(super) fn confirmed(
        &mut self,
        copied: &Copied,
        control: &Observation,
        other: &Observation,
        differences: &Differences,
    ) {
        let Some(first) = differences.list.first() else { return };
        let collector = self.counter.collector();
        let route = collector.route_name(copied.route);
        let mismatch = Mismatch { route: &route, pair: copied.pair, copied, control, other, first };
        let Difference { route, request, words, .. } = mismatch.located(&self.hidden, &mut self.crowds).shown();
        let &Copied { pair, client, is_network, .. } = copied;
        let status = status(control);
        collector.event(Event::Confirmed(Confirmed { pair, route, request, words, client, is_network, status }));
    }
}

/// Whether the other side did not fail either, if control answered with success.
fn both_hold(control: &Observation, other: &Observation) -> Option<bool> {
    let is_success = matches!(&control.seen, Seen::Answer(answer) if is_ordinary(answer.status));
    match &other.seen {
        _ if !is_success => None,
        Seen::Answer(answer) => Some(answer.status < 500),
        // That is a limit of the proxy, not a failure of the server.
        Seen::Nothing(Silence::TooLarge) => None,
        Seen::Nothing(_) => Some(false),
        _ => None,
    }
}

/// An answer's status; 0 if there was none.
pub(super) fn status(observation: &Observation) -> u16 {
    match &observation.seen {
        Seen::Answer(answer) => answer.status,
        _ => 0,
    }
}

impl Witnesses {
    fn is_first(&mut self, client: u64, now: Instant) -> bool {
        if self.began.is_none_or(|began| now - began >= HOUR) {
            *self = Witnesses { began: Some(now), seen: BTreeSet::new() };
        }
        self.seen.len() < MOST_WITNESSES && self.seen.insert(client)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_network_is_one_witness_in_an_hour() {
        let (mut witnesses, now) = (Witnesses::default(), Instant::now());
        assert!(witnesses.is_first(1, now) && witnesses.is_first(2, now));
        assert!(!witnesses.is_first(1, now + HOUR / 2));
        assert!(witnesses.is_first(1, now + HOUR));
    }
    #[test]
    fn the_other_sides_failures_count_only_if_control_succeeds() {
        let seen = |seen| Observation { seen, downstream: Vec::new(), took: None };
        let answer = |status| seen(Seen::Answer(tierup_parity::Answer { status, ..Default::default() }));
        let silent = || seen(Seen::Nothing(Silence::TimedOut));
        assert_eq!(both_hold(&answer(200), &answer(404)), Some(true));
        assert_eq!(both_hold(&answer(302), &answer(500)), Some(false));
        assert_eq!(both_hold(&answer(200), &silent()), Some(false));
        assert_eq!(both_hold(&answer(200), &seen(Seen::Nothing(Silence::TooLarge))), None, "our own limit");
        for control in [answer(500), answer(404), answer(304), silent()] {
            assert_eq!(both_hold(&control, &answer(500)), None);
        }
    }
}
