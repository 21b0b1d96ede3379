//! Finds a candidate that answers nearly all requests wrongly. In: comparisons, slot by slot. Out: whether nearly all
//! of its answers have differed for long enough.
//!
//! If clients ask a server for a single address, there are no different requests to confirm a mismatch. Caches, flags
//! and replicas explain a difference in nearly all answers for a while, so it must last. An attacker would have to send
//! nearly all of the traffic to look like this.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::steady::Compared;
use crate::evidence::{AGAIN_AFTER, Pair, Slot};

/// The least part of the compared answers that must differ.
const PART: f64 = 0.9;
/// The least number of answers that must differ.
const LEAST: u64 = 20;
/// How long all answers together must differ, and those of one route, in milliseconds. A route may be one entry of a
/// cache that each process fills for itself for five minutes.
const ALL: u64 = 1000 * (AGAIN_AFTER[0] + AGAIN_AFTER[1] + AGAIN_AFTER[2]);
const ROUTE: u64 = 300_000;

/// For how long the candidate's answers have differed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Wholly {
    all: Run,
    routes: BTreeMap<String, Run>,
}

/// For how long nearly all answers have differed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Run {
    milliseconds: u64,
    different: u64,
}

impl Wholly {
    /// Takes in the slots of the same time. `name` gives the name under which a route is counted.
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
    /// Takes in comparisons. Without any, a run goes on.
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
