//! The counts of one thread, or of several together.

use std::{collections::BTreeMap, sync::Arc};

use tierup_rollout::{
    Latencies, Side,
    evidence::{Bad, BadKind, Copies, LATE, Live, MOST_BAD, Pair, Slot, Witness},
};

use super::{
    Answered, Compared, Outcome, Took,
    bad::{BadAnswer, BadAnswers},
    routes::{OTHERS, Route},
};

/// The most kinds of mismatches, and the most reasons, of a route in a slot. Others are counted together.
const MOST_KINDS: usize = 20;

#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    live: BTreeMap<(Route, Side), LiveCounts>,
    copies: BTreeMap<(Route, Pair), CopyCounts>,
    bad: BadAnswers,
    late: Vec<Witness>,
    latencies: BTreeMap<Side, Latencies>,
    copy_latencies: BTreeMap<Side, Latencies>,
}

#[derive(Debug, Clone, Copy, Default)]
struct LiveCounts {
    answered: u64,
    errors: u64,
    silent: u64,
}

#[derive(Debug, Clone, Default)]
struct CopyCounts {
    same: u64,
    mismatched: u64,
    no_evidence: u64,
    both: u64,
    only_control: u64,
    kinds: BTreeMap<String, u64>,
    dropped: BTreeMap<&'static str, u64>,
    not_comparable: BTreeMap<String, u64>,
    took: u64,
    copy_took: u64,
}

impl Counts {
    pub(super) fn answered(&mut self, answered: &Answered) {
        let &Answered { route, side, weights, client, network, outcome, took } = answered;
        let live = self.live.entry((route, side)).or_default();
        match outcome {
            Outcome::Answered => live.answered += 1,
            Outcome::Bad(BadKind::Error) => {
                live.answered += 1;
                live.errors += 1;
            }
            Outcome::Bad(BadKind::TimedOut | BadKind::Broken) => live.silent += 1,
            Outcome::Bad(BadKind::Left) => {}
        }
        let [client, network] = [client, network].map(|bucket| bucket.map(|bucket| bucket.0));
        match outcome {
            Outcome::Bad(kind) => self.bad.add(BadAnswer { kind, route, side, weights, client, network }),
            Outcome::Answered if side == Side::Candidate && took >= LATE && self.late.len() < MOST_BAD => {
                self.late.extend(Witness::new(client, network));
            }
            Outcome::Answered => {}
        }
        // A missing answer has no latency.
        if matches!(outcome, Outcome::Answered | Outcome::Bad(BadKind::Error)) {
            self.latencies.entry(side).or_default().add(took);
        }
    }

    pub(super) fn copy(&mut self, route: Route, pair: Pair, compared: Compared, took: Took) {
        let copies = self.copies.entry((route, pair)).or_default();
        match compared {
            Compared::Same => copies.same += 1,
            Compared::Mismatch { kind, is_evidence } => {
                copies.mismatched += 1;
                copies.no_evidence += u64::from(!is_evidence);
                bump(&mut copies.kinds, kind, 1);
            }
            Compared::Dropped(why) => {
                *copies.dropped.entry(why).or_default() += 1;
                return;
            }
            Compared::NotComparable(why) => return bump(&mut copies.not_comparable, why, 1),
        }
        copies.took += micros(took.answer);
        copies.copy_took += micros(took.copy);
        if took.by_chance {
            self.copy_latencies.entry(side_of(pair)).or_default().add(took.copy);
        }
    }

    /// Counts a request that control answered with success; `is_both` says that the other side did not fail.
    pub(super) fn held(&mut self, route: Route, pair: Pair, is_both: bool) {
        let copies = self.copies.entry((route, pair)).or_default();
        *(if is_both { &mut copies.both } else { &mut copies.only_control }) += 1;
    }

    pub(super) fn add(&mut self, other: Counts) {
        for (key, live) in other.live {
            let own = self.live.entry(key).or_default();
            own.answered += live.answered;
            own.errors += live.errors;
            own.silent += live.silent;
        }
        for (key, copies) in other.copies {
            self.copies.entry(key).or_default().add(copies);
        }
        self.bad.merge(other.bad);
        self.late.extend(other.late);
        self.late.truncate(MOST_BAD);
        for (own, others) in [(&mut self.latencies, other.latencies), (&mut self.copy_latencies, other.copy_latencies)]
        {
            for (side, latencies) in others {
                own.entry(side).or_default().merge(&latencies);
            }
        }
    }

    /// Makes a slot, with the names of the routes.
    pub(super) fn into_slot(self, names: &[Arc<str>]) -> Slot {
        let name = |route: Route| names.get(route.index()).map_or(OTHERS, |name| name).to_owned();
        let live = self.live.into_iter().map(|((route, side), LiveCounts { answered, errors, silent })| Live {
            route: name(route),
            side,
            answered,
            errors,
            silent,
        });
        let copies = self.copies.into_iter().map(|((route, pair), copies)| Copies {
            route: name(route),
            pair,
            same: copies.same,
            mismatched: copies.mismatched,
            no_evidence: copies.no_evidence,
            both: copies.both,
            only_control: copies.only_control,
            kinds: copies.kinds,
            dropped: copies.dropped.into_iter().map(|(why, count)| (why.to_owned(), count)).collect(),
            not_comparable: copies.not_comparable,
            took: copies.took,
            copy_took: copies.copy_took,
        });
        let all = self.bad.all;
        let bad: Vec<_> = self
            .bad
            .chosen()
            .map(|BadAnswer { kind, route, side, weights, client, network }| Bad {
                kind,
                route: name(route),
                side,
                weights,
                client,
                network,
            })
            .collect();
        Slot {
            live: live.collect(),
            bad_not_listed: all - bad.len() as u64,
            bad,
            late: self.late,
            latencies: self.latencies,
            copy_latencies: self.copy_latencies,
            copies: copies.collect(),
            ..Slot::default()
        }
    }
}

impl CopyCounts {
    fn add(&mut self, other: CopyCounts) {
        self.same += other.same;
        self.mismatched += other.mismatched;
        self.no_evidence += other.no_evidence;
        self.both += other.both;
        self.only_control += other.only_control;
        self.took += other.took;
        self.copy_took += other.copy_took;
        other.kinds.into_iter().for_each(|(kind, count)| bump(&mut self.kinds, kind, count));
        for (why, count) in other.dropped {
            *self.dropped.entry(why).or_default() += count;
        }
        other.not_comparable.into_iter().for_each(|(why, count)| bump(&mut self.not_comparable, why, count));
    }
}

/// Adds to the count of a name, or of "(others)" if there are too many names.
fn bump(counts: &mut BTreeMap<String, u64>, name: String, by: u64) {
    let has_room = counts.len() < MOST_KINDS || counts.contains_key(&name);
    *counts.entry(if has_room { name } else { OTHERS.to_owned() }).or_default() += by;
}

/// The side that answered the copy.
fn side_of(pair: Pair) -> Side {
    match pair {
        Pair::Candidate => Side::Candidate,
        Pair::Second => Side::Twin,
        Pair::Verify => Side::Control,
    }
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
