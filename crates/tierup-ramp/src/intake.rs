//! Puts the evidence of all proxies in order for the judge.
//!
//! In: lines of all proxies, as they are read. Out: groups of slots, those of all proxies in the same five seconds: if
//! a server stalls, all proxies see it, and it must not count once for each.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tierup_rollout::{
    Side,
    evidence::{Copies, Entry, Event, Line, SLOT, Slot},
    files::{Position, run_and_number},
};

use crate::{
    actuator::EVERY_ROUTE,
    evidence_files::run_of,
    stored::{Costs, Source},
};

/// A proxy is gone if it has written nothing for this many seconds: it writes every [`SLOT`] seconds.
const GONE_AFTER: u64 = 60;
/// A proxy's periods are late if this many of them wait for another proxy.
pub(crate) const LATE: usize = 3;
/// [`LATE`] while old evidence is being read, as one file may be far ahead of another.
pub(crate) const LATE_WHILE_READING: usize = 200;
/// A slot that ends this many milliseconds before its period's end is the period's last one.
const ALMOST: u64 = 500;

/// Slots that wait for those of other proxies, by period: five seconds, numbered from 1970.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// The slots with the run of the proxy that wrote each.
    periods: BTreeMap<u64, Vec<(String, Slot)>>,
    /// By run: the first period that the proxy has not completely written.
    told: BTreeMap<String, u64>,
}

impl Waiting {
    /// Takes in a slot that ended at `at`, in milliseconds since 1970. Its middle decides on its period, as the
    /// proxies' clocks differ a little, and a slot may be written a little late.
    pub(crate) fn add(&mut self, run: &str, at: u64, slot: Slot) {
        let length = SLOT * 1000;
        let period = at.saturating_sub(slot.lasted / 2) / length;
        let is_last = at.saturating_add(ALMOST) >= (period + 1).saturating_mul(length);
        self.told.insert(run.to_owned(), period + u64::from(is_last));
        self.periods.entry(period).or_default().push((run.to_owned(), slot));
    }

    /// The earliest period's slots, if every living proxy has written all its slots of that period.
    pub(crate) fn whole<'a>(&mut self, mut alive: impl Iterator<Item = &'a str>) -> Option<Vec<Slot>> {
        let (&period, _) = self.periods.first_key_value()?;
        let is_whole = alive.all(|run| self.told.get(run).is_some_and(|told| *told > period));
        if is_whole { self.take(period) } else { None }
    }

    /// The earliest period of a proxy with this many waiting periods: another proxy stalls, or its clock is wrong.
    pub(crate) fn late(&mut self, most: usize) -> Option<Vec<Slot>> {
        let mut of_run = BTreeMap::<&str, (u64, BTreeSet<u64>)>::new();
        for (period, slots) in &self.periods {
            for (run, _) in slots {
                of_run.entry(run).or_insert_with(|| (*period, BTreeSet::new())).1.insert(*period);
            }
        }
        let late = of_run.values().filter(|(_, periods)| periods.len() >= most).map(|(first, _)| *first).min()?;
        self.take(late)
    }

    fn take(&mut self, period: u64) -> Option<Vec<Slot>> {
        let slots = self.periods.remove(&period)?;
        Some(slots.into_iter().map(|(_, slot)| slot).collect())
    }

    /// Waits no longer for a proxy that is gone.
    pub(crate) fn forget(&mut self, run: &str) {
        self.told.remove(run);
    }
}

/// When each proxy last wrote, in seconds of the steady clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard(BTreeMap<String, u64>);

impl Heard {
    pub(crate) fn hear(&mut self, run: &str, now: u64) {
        self.0.insert(run.to_owned(), now);
    }

    /// Proxies that have gone silent. Each is returned once.
    pub(crate) fn gone(&mut self, now: u64) -> Vec<String> {
        let gone: Vec<String> =
            self.0.iter().filter(|(_, heard)| now - *heard > GONE_AFTER).map(|(run, _)| run.clone()).collect();
        self.0.retain(|run, _| !gone.contains(run));
        gone
    }

    pub(crate) fn forget(&mut self, run: &str) {
        self.0.remove(run);
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, run: &str) -> bool {
        self.0.contains_key(run)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

/// The entry of a file. A run's next file starts with the state of the previous one, which may be removed.
pub(crate) fn source_of<'a>(sources: &'a mut BTreeMap<String, Source>, file: &str) -> &'a mut Source {
    if !sources.contains_key(file) {
        let before = newest(sources).get(run_of(file)).map(|before| (*before).clone());
        let next = before.map(|before| Source { position: Position::default(), ended: false, ..before });
        sources.insert(file.to_owned(), next.unwrap_or_default());
    }
    sources.entry(file.to_owned()).or_default()
}

/// The entry of the last file of each run.
fn newest(sources: &BTreeMap<String, Source>) -> BTreeMap<&str, &Source> {
    let mut newest: Vec<_> = sources.iter().map(|(file, source)| (run_and_number(file), source)).collect();
    newest.sort_by_key(|(place, _)| *place);
    newest.into_iter().map(|((run, _), source)| (run, source)).collect()
}

/// The entries of [`newest`] for the runs of proxies that were heard of.
pub(crate) fn alive<'a>(sources: &'a BTreeMap<String, Source>, heard: &Heard) -> BTreeMap<&'a str, &'a Source> {
    let mut alive = newest(sources);
    alive.retain(|run, _| heard.has(run));
    alive
}

/// Notes what a line says about the proxy itself.
pub(crate) fn note(source: &mut Source, line: &Line) {
    source.ended = false;
    match &line.entry {
        // Each file of a run begins with this event. The run's earlier state still holds.
        Entry::Event(Event::Began { sides }) => source.sides.clone_from(sides),
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

/// A proxy's slot without the answers that a load balancer counts. The load balancer knows only one route for requests
/// that change nothing, so their comparisons count for that one.
pub(crate) fn copies_only(slot: Slot) -> Slot {
    let is_safe = |route: &str| matches!(route.split(' ').next(), Some("GET" | "HEAD"));
    let live = slot.live.into_iter().filter(|live| live.side == Side::Control && !is_safe(&live.route)).collect();
    let coarse = |copies: Copies| match is_safe(&copies.route) {
        true => Copies { route: EVERY_ROUTE.to_owned(), ..copies },
        false => copies,
    };
    let copies = slot.copies.into_iter().map(coarse).collect();
    Slot { live, copies, bad: Vec::new(), bad_not_listed: 0, late: Vec::new(), latencies: BTreeMap::new(), ..slot }
}

/// Adds what a slot's answers cost, if that is known: answers to clients, and compared ones. Hours count from 1970, by
/// the judge's clock.
pub(crate) fn cost(costs: &mut Costs, slot: &Slot, hour: u64) {
    for (side, processor) in &slot.processor {
        let cost = costs.entry((hour, *side)).or_default();
        cost.answered = cost.answered.saturating_add(slot.answers_of(*side));
        cost.processor += processor;
    }
}

/// Adds answers that servers gave to a load balancer directly, past the proxies, which report these servers' processor
/// time. Control's answers pass a proxy, which counts them. Sides without known processor time are not counted.
pub(crate) fn answers(costs: &mut Costs, slot: &Slot, hour: u64, is_metered: impl Fn(Side) -> bool) {
    for live in slot.live.iter().filter(|live| live.side != Side::Control && is_metered(live.side)) {
        costs.entry((hour, live.side)).or_default().answered += live.answered;
    }
}

/// For how many seconds evidence may be missing while the candidate answers clients. Then no judge can judge.
pub(crate) const BLIND_AFTER: u64 = GONE_AFTER;
const _: () = assert!(BLIND_AFTER > 2 * SLOT);

#[cfg(test)]
mod tests {
    use tierup_rollout::{
        Latencies,
        evidence::{Live, Pair},
    };

    use super::*;

    /// Noon, in milliseconds since 1970.
    const NOON: u64 = 1_795_406_400_000;

    /// Adds a slot. Its generation tells it from others in these tests.
    fn add(waiting: &mut Waiting, run: &str, ends: u64, lasted: u64, generation: u64) {
        waiting.add(run, NOON + ends, Slot { generation, lasted, ..Slot::default() });
    }

    fn generations(slots: Option<Vec<Slot>>) -> Option<Vec<u64>> {
        Some(slots?.iter().map(|slot| slot.generation).collect())
    }

    #[test]
    fn slots_of_the_same_time_are_one_group() {
        let (both, mut waiting) = (["a", "b"], Waiting::default());
        let whole = |waiting: &mut Waiting| generations(waiting.whole(both.into_iter()));
        // A proxy's first slot begins with the proxy. The other proxy's clock is 0.3 s behind.
        add(&mut waiting, "a", 5_000, 1_200, 1);
        assert_eq!(whole(&mut waiting), None, "b has written nothing yet");
        add(&mut waiting, "b", 4_700, 5_000, 2);
        assert_eq!(whole(&mut waiting), Some(vec![1, 2]));
        // The control file changes at `a`, so one period has two of its slots.
        add(&mut waiting, "a", 7_000, 2_000, 3);
        add(&mut waiting, "b", 9_700, 5_000, 4);
        assert_eq!(whole(&mut waiting), None, "a has not written all of it");
        add(&mut waiting, "a", 10_000, 3_000, 5);
        assert_eq!(whole(&mut waiting), Some(vec![3, 4, 5]));
        // A proxy misses a period. No slot is paired with one of another time.
        add(&mut waiting, "a", 15_000, 5_000, 6);
        add(&mut waiting, "b", 19_700, 5_000, 7);
        add(&mut waiting, "a", 20_000, 5_000, 8);
        assert_eq!(whole(&mut waiting), Some(vec![6]));
        assert_eq!(whole(&mut waiting), Some(vec![7, 8]));
        assert_eq!(whole(&mut waiting), None);
    }

    #[test]
    fn a_stalled_proxy_or_a_wrong_clock_delays_others_only_briefly() {
        let (both, mut waiting) = (["a", "b"], Waiting::default());
        for number in 1..=3 {
            assert_eq!(waiting.late(LATE), None);
            add(&mut waiting, "a", 5_000 * number, 5_000, number);
            assert_eq!(waiting.whole(both.into_iter()), None);
        }
        assert_eq!(generations(waiting.late(LATE)), Some(vec![1]));
        assert_eq!(waiting.late(LATE), None);
        // The other proxy is gone.
        assert_eq!(generations(waiting.whole(["a"].into_iter())), Some(vec![2]));
        assert_eq!(generations(waiting.whole(["a"].into_iter())), Some(vec![3]));
        // The clock of `b` is a day ahead. Neither proxy's slots wait for the other's for ever.
        let day = 86_400_000;
        for number in 4..10 {
            add(&mut waiting, "b", day + 5_000 * number, 5_000, 100 + number);
            add(&mut waiting, "a", 5_000 * number, 5_000, number);
            assert_eq!(generations(waiting.whole(both.into_iter())), Some(vec![number]));
            let late = generations(waiting.late(LATE));
            assert_eq!(late, (number >= 6).then(|| vec![98 + number]));
        }
    }

    #[test]
    fn the_next_file_of_a_proxy_keeps_the_state_of_the_previous_one() {
        let line = |event| Line { number: 1, at: 0, entry: Entry::Event(event) };
        let sides = BTreeMap::from([(Side::Candidate, "http://127.0.0.1:9".to_owned())]);
        let (mut sources, mut heard) = (BTreeMap::new(), Heard::default());
        heard.hear("a", 1);
        let first = source_of(&mut sources, "a-9.jsonl");
        note(first, &line(Event::Began { sides: sides.clone() }));
        note(first, &line(Event::Unreachable { side: Side::Candidate, is: true }));
        source_of(&mut sources, "b-1.jsonl");
        // The second file does not count as a new beginning.
        note(source_of(&mut sources, "a-10.jsonl"), &line(Event::Began { sides: sides.clone() }));
        sources.remove("a-9.jsonl");
        let found = alive(&sources, &heard);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&"a"]);
        assert_eq!((&found["a"].sides, &found["a"].unreachable), (&sides, &vec![Side::Candidate]));
        // Older evidence files do not change the current state.
        note(source_of(&mut sources, "a-11.jsonl"), &line(Event::Unreachable { side: Side::Candidate, is: false }));
        assert!(alive(&sources, &heard)["a"].unreachable.is_empty());
    }

    #[test]
    fn a_silent_proxy_is_reported_gone_once() {
        let mut heard = Heard::default();
        heard.hear("a", 100);
        heard.hear("b", 150);
        assert!(heard.gone(160).is_empty());
        assert_eq!(heard.gone(161), ["a"]);
        assert!(heard.gone(162).is_empty());
        assert_eq!(heard.runs().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn answers_past_a_proxy_count_if_it_reports_the_processor_time() {
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
    fn only_comparisons_of_a_proxy_count_behind_a_load_balancer() {
        let live = |route: &str, side| Live { route: route.into(), side, answered: 1, errors: 1, silent: 0 };
        let copies = |route: &str| Copies { same: 1, ..Copies::new(route, Pair::Candidate) };
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
