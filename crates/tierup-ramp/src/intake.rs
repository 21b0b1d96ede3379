//! What the evidence files tell, put in order for the judge.
//!
//! In: lines of all proxies, as they are read. Out: events, at once, and slots in groups: those of all proxies at about the
//! same time, as a server that stands still is seen by all of them.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use tierup_actuator::EVERY_ROUTE;
use tierup_rollout::{
    Side,
    evidence::{Copies, Entry, Event, Line, Pair, SLOT, Slot},
};

use crate::store::{Costs, Source};

/// A proxy that writes nothing for so many seconds is gone: it writes every [`SLOT`] seconds.
const GONE_AFTER: u64 = 60;
/// So many slots of one proxy are a backlog, which is not waited for.
const BACKLOG: usize = 3;

/// The run of a proxy that writes a file: `run-2.jsonl` goes on where `run-1.jsonl` was full.
pub(crate) fn run_of(file: &str) -> &str {
    let name = file.strip_suffix(".jsonl").unwrap_or(file);
    match name.rsplit_once('-') {
        Some((run, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => run,
        _ => name,
    }
}

/// Slots that wait for those of other proxies, by the proxy's run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Waiting(BTreeMap<String, VecDeque<Slot>>);

impl Waiting {
    pub(crate) fn add(&mut self, run: &str, slot: Slot) {
        self.0.entry(run.to_owned()).or_default().push_back(slot);
    }

    /// The next group, if every proxy that is alive has a slot for it, or one has several.
    pub(crate) fn group<'a>(&mut self, mut alive: impl Iterator<Item = &'a String>) -> Option<Vec<Slot>> {
        let is_whole = alive.all(|run| self.0.contains_key(run));
        let is_late = self.0.values().any(|slots| slots.len() >= BACKLOG);
        if self.0.is_empty() || !(is_whole || is_late) {
            return None;
        }
        let group = self.0.values_mut().filter_map(VecDeque::pop_front).collect();
        self.0.retain(|_, slots| !slots.is_empty());
        Some(group)
    }
}

/// When a proxy was last heard of, by the steady clock in seconds.
#[derive(Debug, Default)]
pub(crate) struct Heard(BTreeMap<String, u64>);

impl Heard {
    pub(crate) fn of(&mut self, run: &str, now: u64) {
        self.0.insert(run.to_owned(), now);
    }

    /// Proxies that went silent: each is named once.
    pub(crate) fn gone(&mut self, now: u64) -> Vec<String> {
        let gone: Vec<String> =
            self.0.iter().filter(|(_, heard)| now - *heard > GONE_AFTER).map(|(run, _)| run.clone()).collect();
        self.0.retain(|run, _| !gone.contains(run));
        gone
    }

    pub(crate) fn forget(&mut self, run: &str) {
        self.0.remove(run);
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Whether the proxy that wrote this file was heard of.
    pub(crate) fn has_writer_of(&self, file: &str) -> bool {
        self.0.contains_key(run_of(file))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

/// What a line says about the proxy itself.
pub(crate) fn note(source: &mut Source, line: &Line) {
    source.ended = false;
    match &line.entry {
        Entry::Event(Event::Began { sides }) => {
            source.sides.clone_from(sides);
            source.unreachable.clear();
        }
        Entry::Event(Event::Unreachable { side, is }) => {
            source.unreachable.retain(|known| known != side);
            if *is {
                source.unreachable.push(*side);
            }
        }
        Entry::Event(Event::Ended) => source.ended = true,
        _ => {}
    }
}

/// A proxy's slot, where a load balancer counts the answers to clients. Its routes are as coarse as the load balancer's: what
/// was compared on all routes whose requests change nothing counts for the one that it knows.
pub(crate) fn copies_only(slot: Slot) -> Slot {
    let is_safe = |route: &str| matches!(route.split(' ').next(), Some("GET" | "HEAD"));
    let live = slot.live.into_iter().filter(|live| live.side == Side::Control && !is_safe(&live.route)).collect();
    let coarse = |copies: Copies| match is_safe(&copies.route) {
        true => Copies { route: EVERY_ROUTE.to_owned(), ..copies },
        false => copies,
    };
    let copies = slot.copies.into_iter().map(coarse).collect();
    Slot { live, copies, bad: Vec::new(), bad_not_listed: 0, latencies: BTreeMap::new(), ..slot }
}

/// What a slot's answers cost, where that is known: those to clients, and those that were compared. Hours are those since
/// 1970, of the judge's clock.
pub(crate) fn cost(costs: &mut Costs, slot: &Slot, hour: u64) {
    for (side, processor) in &slot.processor {
        let pair = match side {
            Side::Control => Pair::Verify,
            Side::Candidate => Pair::Candidate,
            Side::Twin => Pair::Second,
        };
        let live = slot.live.iter().filter(|live| live.side == *side).map(|live| live.answered);
        let copies = slot.copies.iter().filter(|copies| copies.pair == pair);
        let answered = live.chain(copies.map(|copies| copies.same + copies.mismatched)).sum::<u64>();
        let cost = costs.entry((hour, *side)).or_default();
        cost.answered += answered;
        cost.processor += processor;
    }
}

/// The answers that a load balancer took from servers past the proxies, which tell those servers' processor time. Control's come
/// through a proxy, which counts them. Answers of a side whose processor time nobody tells are not counted.
pub(crate) fn answers(costs: &mut Costs, slot: &Slot, hour: u64, is_metered: impl Fn(Side) -> bool) {
    for live in slot.live.iter().filter(|live| live.side != Side::Control && is_metered(live.side)) {
        costs.entry((hour, live.side)).or_default().answered += live.answered;
    }
}

/// How long evidence may fail to come while the candidate answers clients, in seconds: without it, nobody judges.
pub(crate) const BLIND_AFTER: u64 = GONE_AFTER;
const _: () = assert!(BLIND_AFTER > 2 * SLOT);

#[cfg(test)]
mod tests {
    use tierup_rollout::{Latencies, evidence::Live};

    use super::*;

    fn slot(generation: u64) -> Slot {
        Slot { generation, ..Slot::default() }
    }

    #[test]
    fn slots_of_the_same_time_are_one_group() {
        let (both, mut waiting) = (["a".to_owned(), "b".to_owned()], Waiting::default());
        let group = |waiting: &mut Waiting| {
            let slots = waiting.group(both.iter())?;
            Some(slots.iter().map(|slot| slot.generation).collect::<Vec<_>>())
        };
        waiting.add("a", slot(1));
        assert_eq!(group(&mut waiting), None, "b has none yet");
        waiting.add("b", slot(2));
        assert_eq!(group(&mut waiting), Some(vec![1, 2]));
        // One of them stands still: the other's slots are not held up for long.
        [3, 4, 5].into_iter().for_each(|number| waiting.add("a", slot(number)));
        assert_eq!(group(&mut waiting), Some(vec![3]));
        assert_eq!(group(&mut waiting), None);
        // The other one is gone.
        assert_eq!(waiting.group(both[..1].iter()).map(|slots| slots.len()), Some(1));
    }

    #[test]
    fn a_proxy_that_begins_another_file_is_the_same_proxy() {
        for (file, run) in [("1795-77-0a1b-1.jsonl", "1795-77-0a1b"), ("a-12.jsonl", "a"), ("proxy.jsonl", "proxy")] {
            assert_eq!(run_of(file), run);
        }
        let mut heard = Heard::default();
        heard.of(run_of("a-1.jsonl"), 1);
        assert!(heard.has_writer_of("a-2.jsonl") && !heard.has_writer_of("b-1.jsonl"));
    }

    #[test]
    fn a_silent_proxy_is_gone_once() {
        let mut heard = Heard::default();
        heard.of("a", 100);
        heard.of("b", 150);
        assert!(heard.gone(160).is_empty());
        assert_eq!(heard.gone(161), ["a"]);
        assert!(heard.gone(162).is_empty());
        assert_eq!(heard.runs().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn answers_past_a_proxy_count_where_it_tells_their_cost() {
        let live = |side, answered| Live { route: EVERY_ROUTE.into(), side, answered, errors: 0, silent: 9 };
        let all = [(Side::Control, 500), (Side::Candidate, 300), (Side::Twin, 200)];
        let slot = Slot { live: all.map(|(side, answered)| live(side, answered)).to_vec(), ..Slot::default() };
        let mut costs = Costs::new();
        answers(&mut costs, &slot, 7, |side| side != Side::Twin);
        answers(&mut costs, &slot, 7, |side| side != Side::Twin);
        let found: Vec<_> = costs.iter().map(|(key, cost)| (*key, cost.answered)).collect();
        assert_eq!(found, [((7, Side::Candidate), 600)]);
    }

    #[test]
    fn where_a_load_balancer_counts_only_the_comparisons_of_a_proxy_are_taken() {
        let live = |route: &str, side| Live { route: route.into(), side, answered: 1, errors: 1, silent: 0 };
        let copies = |route: &str| Copies {
            route: route.into(),
            pair: Pair::Candidate,
            same: 1,
            mismatched: 0,
            dropped: BTreeMap::new(),
            not_comparable: BTreeMap::new(),
            kinds: BTreeMap::new(),
            took: 0,
            copy_took: 0,
        };
        let slot = Slot {
            lasted: 5_000,
            live: vec![live("GET /a", Side::Control), live("POST /b", Side::Control), live("GET /a", Side::Candidate)],
            bad_not_listed: 1,
            latencies: BTreeMap::from([(Side::Control, Latencies::default())]),
            copies: vec![copies("GET /a"), copies("HEAD /c"), copies("POST /b")],
            ..Slot::default()
        };
        let found = copies_only(slot);
        assert_eq!(found.live, [live("POST /b", Side::Control)]);
        assert_eq!(found.copies, [copies(EVERY_ROUTE), copies(EVERY_ROUTE), copies("POST /b")]);
        assert_eq!((found.lasted, found.bad_not_listed, found.latencies.len()), (5_000, 0, 0));
    }
}
