//! Whether clients gave candidate and twin equal work. In: slots. Out: whether latencies of copies can be compared.
//!
//! A client stays on its side, and a few clients make much of the traffic (Zipf's law). So one of two equal processes
//! often has a third more work than the other, and its answers to copies take longer for that reason alone.
//!
//! Work = number of requests x *control's* mean time on that route. How fast candidate and twin are does not change it.
//! If their own time were used, blocks would be left out because the candidate is slow; with processor time, because it
//! is fast.
//!
//! A client that chose its side can send it requests that take far longer than others on the route. So a block counts
//! only if the sides also had equal work by the time that they spent on clients. That time is divided by their slowdown
//! on copies relative to control, so that a slow candidate alone leaves no block out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    evidence::{Copies, Pair, Slot},
    weights::Side,
};

/// By how much the candidate's work for clients may exceed the twin's, as a part of all the twin's work. A server that
/// is at most 70 % busy becomes less than 5 % slower by it, which the comparison tolerates: in the simplest queue,
/// waiting grows with 1 / (1 - busy).
const MORE: f64 = 0.02;
/// By how much the candidate's work may be less. A candidate with much less work would look faster than it is.
const LESS: f64 = 0.1;
/// A route's own mean is used from this many answers on.
const KNOWN: u64 = 20;

/// The work that clients gave candidate and twin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Load {
    /// Control's compared answers and their total time in microseconds: by route, and for all routes.
    control: BTreeMap<String, Took>,
    all: Took,
    /// The work in the block before this one: requests that waited in a queue then are answered now.
    before: Work,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Took {
    answers: u64,
    micros: u64,
}

/// Work, in microseconds of control's time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Work {
    /// The work for clients.
    candidate: u64,
    twin: u64,
    /// The twin's copies. The candidate got equally many, by chance.
    copies: u64,
    #[serde(default)]
    spent: [Spent; 2],
}

/// Microseconds that candidate or twin spent on clients and on copies, and that control spent on the same copies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Spent {
    clients: u64,
    copies: u64,
    copies_of_control: u64,
}

impl Load {
    /// Takes in the slots of a block of time. Returns whether both had equal work, over this block and the one before.
    /// `name` gives the name under which a route is counted.
    pub(super) fn take(&mut self, slots: &[&Slot], name: impl Fn(&str) -> String) -> bool {
        for copies in slots.iter().flat_map(|slot| &slot.copies).filter(|copies| copies.pair != Pair::Verify) {
            let took = Took { answers: compared(copies), micros: copies.took };
            self.control.entry(name(&copies.route)).or_default().add(took);
            self.all.add(took);
        }
        let mut now = Work::default();
        for slot in slots {
            for live in &slot.live {
                let work = || self.work(&name(&live.route), live.answered + live.silent);
                match live.side {
                    Side::Control => {}
                    Side::Candidate => now.candidate += work(),
                    Side::Twin => now.twin += work(),
                }
            }
            for (spent, side) in now.spent.iter_mut().zip([Side::Candidate, Side::Twin]) {
                let took = slot.latencies.get(&side).map(|took| took.sum().as_micros()).unwrap_or_default();
                spent.clients += u64::try_from(took).unwrap_or(u64::MAX >> 1);
            }
            for copies in slot.copies.iter().filter(|copies| copies.pair != Pair::Verify) {
                let spent = &mut now.spent[usize::from(copies.pair == Pair::Second)];
                spent.copies += copies.copy_took;
                spent.copies_of_control += self.work(&name(&copies.route), compared(copies));
            }
            for copies in slot.copies.iter().filter(|copies| copies.pair == Pair::Second) {
                let made = compared(copies) + copies.not_comparable.values().sum::<u64>();
                now.copies += self.work(&name(&copies.route), made);
            }
        }
        let before = std::mem::replace(&mut self.before, now);
        before.with(now).is_equal()
    }

    /// The work of this many requests, in microseconds of control's time.
    fn work(&self, route: &str, requests: u64) -> u64 {
        let own = self.control.get(route).filter(|took| took.answers >= KNOWN);
        let mean = own.unwrap_or(&self.all).mean();
        (requests as f64 * mean).round() as u64
    }
}

impl Took {
    fn add(&mut self, other: Took) {
        self.answers += other.answers;
        self.micros += other.micros;
    }

    /// The mean time in microseconds; without any measurements, the same value for all routes.
    fn mean(self) -> f64 {
        if self.micros == 0 { 1_000.0 } else { self.micros as f64 / self.answers as f64 }
    }
}

impl Work {
    fn with(self, other: Work) -> Work {
        Work {
            candidate: self.candidate + other.candidate,
            twin: self.twin + other.twin,
            copies: self.copies + other.copies,
            spent: [0, 1].map(|side| self.spent[side].with(other.spent[side])),
        }
    }

    fn is_equal(self) -> bool {
        let all = (self.twin + self.copies) as f64;
        let [candidate, twin] = [self.candidate, self.twin].map(|work| work as f64);
        let [candidate_by_time, twin_by_time] = [self.spent[0].work(candidate), self.spent[1].work(twin)];
        let is_within = |more: f64| (-LESS * all..=MORE * all).contains(&more);
        is_within(candidate - twin) && is_within(candidate_by_time - twin_by_time)
    }
}

impl Spent {
    fn with(self, other: Spent) -> Spent {
        Spent {
            clients: self.clients.saturating_add(other.clients),
            copies: self.copies.saturating_add(other.copies),
            copies_of_control: self.copies_of_control.saturating_add(other.copies_of_control),
        }
    }

    /// The work that clients gave, by time; or by their number of requests, if some of the times are unknown.
    fn work(self, by_number: f64) -> f64 {
        let Spent { clients, copies, copies_of_control } = self;
        let is_known = clients > 0 && copies > 0 && copies_of_control > 0;
        if is_known { clients as f64 * copies_of_control as f64 / copies as f64 } else { by_number }
    }
}

fn compared(copies: &Copies) -> u64 {
    copies.same + copies.mismatched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Live;

    fn live(route: &str, side: Side, answered: u64) -> Live {
        Live { route: route.into(), side, answered, errors: 0, silent: 0 }
    }

    fn copies(route: &str, pair: Pair, same: u64, took: u64) -> Copies {
        Copies { same, took, ..Copies::new(route, pair) }
    }

    /// Whether a block counts if clients sent both sides this many requests, in it and in the block before.
    fn counts(candidate: u64, twin: u64, copied: u64) -> bool {
        let live = [(Side::Candidate, candidate), (Side::Twin, twin)].map(|(side, all)| live("GET /", side, all));
        let copies = vec![copies("GET /", Pair::Second, copied, 0)];
        let slot = Slot { live: live.to_vec(), copies, ..Slot::default() };
        let mut load = Load::default();
        load.take(&[&slot], str::to_owned);
        load.take(&[&slot], str::to_owned)
    }

    #[test]
    fn a_block_counts_if_both_had_equally_much_to_do() {
        for (candidate, twin, copied, is_equal) in [
            // Without requests of clients, chance alone assigns the work.
            (0, 0, 100, true),
            (100, 100, 0, true),
            (102, 100, 0, true),
            (103, 100, 0, false),
            (90, 100, 0, true),
            (89, 100, 0, false),
            (1, 0, 0, false),
            // Both sides get the same copies. If these are most of the work, unequal clients change less of it.
            (108, 100, 300, true),
            (109, 100, 300, false),
            (60, 100, 300, true),
        ] {
            assert_eq!(counts(candidate, twin, copied), is_equal, "{candidate} and {twin} beside {copied} copies");
        }
    }

    #[test]
    fn slow_requests_are_more_work_and_a_slow_candidate_is_not() {
        // Each side gets 100 requests of clients and 300 copies, for which control takes 1 ms.
        let counts = |candidate: [u64; 2], twin: [u64; 2]| {
            let took = |millis, count| {
                let mut took = crate::latencies::Latencies::default();
                took.add_many(std::time::Duration::from_millis(millis), count);
                took
            };
            let side = |pair, millis| Copies { copy_took: millis * 300_000, ..copies("GET /", pair, 300, 300_000) };
            let [of_candidate, of_twin] = [candidate, twin].map(|[clients, _]| took(clients, 100));
            let slot = Slot {
                live: vec![live("GET /", Side::Candidate, 100), live("GET /", Side::Twin, 100)],
                latencies: [(Side::Candidate, of_candidate), (Side::Twin, of_twin)].into(),
                copies: vec![side(Pair::Candidate, candidate[1]), side(Pair::Second, twin[1])],
                ..Slot::default()
            };
            Load::default().take(&[&slot], str::to_owned)
        };
        assert!(counts([10, 10], [10, 10]));
        assert!(counts([30, 30], [10, 10]), "it is slow");
        assert!(!counts([40, 20], [10, 10]), "its clients ask for more");
        assert!(!counts([10, 10], [40, 20]), "the twin's do");
    }

    #[test]
    fn the_block_before_counts_too() {
        let slot = |candidate, twin| Slot {
            live: vec![live("GET /", Side::Candidate, candidate), live("GET /", Side::Twin, twin)],
            ..Slot::default()
        };
        let mut load = Load::default();
        let found = [slot(150, 100), slot(100, 100), slot(100, 100)].map(|slot| load.take(&[&slot], str::to_owned));
        assert_eq!(found, [false, false, true]);
    }

    #[test]
    fn work_is_measured_by_controls_time_on_the_route() {
        let slot = |candidate: [u64; 2], twin: [u64; 2]| {
            let of = |side, [quick, slow]: [u64; 2]| [live("GET /quick", side, quick), live("GET /slow", side, slow)];
            // On the two routes, control takes 1 ms and 9 ms.
            let copies = vec![
                copies("GET /quick", Pair::Candidate, 100, 100_000),
                copies("GET /slow", Pair::Candidate, 100, 900_000),
                // How long the candidate took makes no difference.
                copies("GET /quick", Pair::Verify, 100, 9_000_000),
            ];
            Slot { live: [of(Side::Candidate, candidate), of(Side::Twin, twin)].concat(), copies, ..Slot::default() }
        };
        let counts = |candidate, twin| Load::default().take(&[&slot(candidate, twin)], str::to_owned);
        assert!(counts([100, 100], [100, 100]));
        assert!(!counts([50, 150], [150, 50]), "as many requests, and far more work");
        assert!(counts([190, 90], [100, 100]), "more requests, and as much work");
    }
}
