//! A candidate that answers wrongly to everybody. In: comparisons, slot by slot. Out: for how long nearly all of its answers
//! have differed.
//!
//! Where a server has one address that clients ask for, different requests cannot confirm a mismatch. Caches, flags and
//! replicas explain a difference in nearly all answers for a while, so it must last. Whoever sends requests that differ must
//! make nearly all of the traffic to look like this.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::steady::Compared;
use crate::evidence::{AGAIN_AFTER, Pair, Slot};

/// The part of the compared answers that differ.
const PART: f64 = 0.9;
/// The least number of answers that differ before the candidate counts as wholly wrong.
const LEAST: u64 = 20;
/// How long all answers together must differ, and those of one route, in milliseconds. A route may be one entry of a cache
/// that each process fills for itself for five minutes.
const ALL: u64 = 1000 * (AGAIN_AFTER[0] + AGAIN_AFTER[1] + AGAIN_AFTER[2]);
const ROUTE: u64 = 300_000;

/// How long the candidate's answers have differed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Wholly {
    all: Run,
    routes: BTreeMap<String, Run>,
}

/// Since when nearly all differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Run {
    milliseconds: u64,
    different: u64,
}

impl Wholly {
    /// Takes in the slots of the same time. `name` is the name under which a route is counted.
    pub(super) fn take(&mut self, slots: &[&Slot], name: impl Fn(&str) -> String) {
        let lasted = slots.iter().map(|slot| slot.lasted).max().unwrap_or_default();
        let mut routes = BTreeMap::<String, Compared>::new();
        let mut all = Compared::default();
        for copies in slots.iter().flat_map(|slot| &slot.copies).filter(|copies| copies.pair != Pair::Second) {
            let different = copies.mismatched.saturating_sub(copies.no_evidence);
            let compared = Compared { all: copies.same + different, different };
            all = all.with(compared);
            let route = routes.entry(name(&copies.route)).or_default();
            *route = route.with(compared);
        }
        self.all.take(all, lasted);
        for (route, run) in &mut self.routes {
            run.take(routes.remove(route).unwrap_or_default(), lasted);
        }
        for (route, compared) in routes {
            self.routes.entry(route).or_default().take(compared, lasted);
        }
        self.routes.retain(|_, run| *run != Run::default());
    }

    /// Whether the answers on this route have differed long enough.
    pub(super) fn is(&self, route: &str) -> bool {
        self.all.is(ALL) || self.routes.get(route).is_some_and(|run| run.is(ROUTE))
    }
}

impl Run {
    /// Without comparisons, it goes on.
    fn take(&mut self, Compared { all, different }: Compared, lasted: u64) {
        if (different as f64) < PART * all as f64 {
            *self = Run::default();
        } else if self.different + different > 0 {
            self.milliseconds += lasted;
            self.different += different;
        }
    }

    fn is(self, lasts: u64) -> bool {
        self.milliseconds >= lasts && self.different >= LEAST
    }
}
