//! Finds a candidate that fails for all clients, however few they are. In: all proxies' slots of the same time. Out:
//! the reason to roll back at once, at any weight.
//!
//! If there are few clients, all that had a bad answer could be [one attacker's](super::ONE_ATTACKER), so their number
//! proves nothing. But an attacker can only add requests, not remove those of others. A candidate that works answers
//! the others, or the copies of their requests. So all of this must hold for a minute:
//!
//! - The candidate gave bad answers to several clients, and no good one to anybody.
//! - The requests are not the cause: the candidate failed all copies that control answered well.
//! - Copying is not the cause: a second control process did not fail most of its copies, too.
//!
//! An attacker who knows requests that fail only at the candidate can cause this rollback only while no other client
//! sends requests.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::decision::Reason;
use crate::{
    evidence::{BadKind, Pair, Slot, Witness},
    weights::{Part, Side},
};

/// In milliseconds. A restarted process is back by then.
const LASTS: u64 = 60_000;
/// The least number of bad answers to clients, and of copies that only control answered well.
const LEAST: u64 = 20;
/// The least number of clients with a bad answer: one may have its own reasons, such as an unreadable cookie.
const CLIENTS: usize = 3;
/// The most clients that are told apart.
const MOST_CLIENTS: usize = 64;

/// Consecutive slots in which the candidate failed for all clients.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Outage {
    milliseconds: u64,
    bad: u64,
    clients: BTreeSet<Witness>,
    /// Copies that only control answered well.
    copies: u64,
}

impl Outage {
    /// Takes in the slots of the same time at this weight.
    pub(super) fn take(&mut self, slots: &[&Slot], at: Part) -> Option<Reason> {
        let of_candidate = || slots.iter().flat_map(|slot| &slot.live).filter(|live| live.side == Side::Candidate);
        let good: u64 = of_candidate().map(|live| live.answered.saturating_sub(live.errors)).sum();
        let bad: u64 = of_candidate().map(|live| live.errors + live.silent).sum();
        let (mut copies, mut of_twin) = ([0; 2], [0; 2]);
        for copied in slots.iter().flat_map(|slot| &slot.copies) {
            let [only_control, both] = if copied.pair == Pair::Second { &mut of_twin } else { &mut copies };
            *only_control += copied.only_control;
            *both += copied.both;
        }
        let ([only_control, both], [only_control_not_twin, both_with_twin]) = (copies, of_twin);
        if at == Part::NONE || good > 0 || both > 0 || only_control_not_twin > both_with_twin {
            *self = Outage::default();
            return None;
        }
        // Time without requests of clients proves nothing.
        if bad > 0 {
            self.milliseconds += slots.iter().map(|slot| slot.lasted).max().unwrap_or_default();
        }
        self.bad += bad;
        self.copies += only_control;
        let listed = slots.iter().flat_map(|slot| &slot.bad);
        let listed = listed.filter(|bad| bad.side == Side::Candidate && bad.kind != BadKind::Left);
        for witness in listed.filter_map(|bad| Witness::new(bad.client, bad.network)) {
            if self.clients.len() < MOST_CLIENTS {
                self.clients.insert(witness);
            }
        }
        let Outage { milliseconds, bad, ref clients, copies } = *self;
        let is_outage = milliseconds >= LASTS && bad >= LEAST && copies >= LEAST && clients.len() >= CLIENTS;
        let (seconds, clients) = (milliseconds / 1000, clients.len() as u64);
        is_outage.then_some(Reason::FailsForAll { bad, clients, copies, seconds })
    }

    /// A new weight starts the count anew.
    pub(super) fn begin_step(&mut self) {
        *self = Outage::default();
    }
}
