//! Answers that are bad by themselves: 5xx, none in time, or none before the client left. In: bad answers to clients, with the weights under which each
//! request was assigned. Out: evidence that too many of them are the candidate's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_stats::Margin;

use super::{
    ONE_ATTACKER,
    clients::Clients,
    suspicion::{Count, Found, Loudest, Suspicion},
};
use crate::{
    evidence::Bad,
    weights::{Part, Side},
};

/// Evidence of one kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct BadAnswers {
    suspicion: Suspicion,
    clients: Clients,
    /// The first client of each network that had a bad answer. Its others may be the same one, with another key.
    networks: BTreeMap<u64, u64>,
    /// Public networks with a bad answer of control, by the candidate's weight.
    #[serde(default)]
    of_control: BTreeMap<Part, u64>,
}

/// The most networks that are told apart. Of more, none counts, whoever answered.
const MOST_NETWORKS: usize = 16_384;

impl BadAnswers {
    /// Takes in a bad answer on the route that is counted under this name.
    pub(super) fn take(&mut self, bad: &Bad, route: &str, margin: Margin) {
        let weight = bad.weights.candidate;
        // Without a choice, an answer says nothing. Its client may still have its first one that does.
        if weight == Part::NONE || weight == Part::ALL {
            return;
        }
        if !self.is_independent(bad) {
            return;
        }
        let is_candidates = bad.side == Side::Candidate;
        let of_candidate = u64::from(is_candidates);
        let BadAnswers { suspicion, clients, of_control, .. } = self;
        let number = suspicion.number(route);
        let mut found = |salt: u32| {
            let chance = match bad.client {
                Some(client) => clients.chance(client, u64::from(salt), is_candidates, weight)?,
                None => weight.fraction(),
            };
            // A client that knows its side can have as many as it has addresses.
            let chosen = if bad.network.is_some() { of_candidate } else { 0 };
            Some(Found { of_candidate, of_control: 1 - of_candidate, chosen, chance, weight })
        };
        if let Some(found) = found(0) {
            suspicion.add(margin, found);
            *of_control.entry(weight).or_default() += u64::from(!is_candidates && bad.network.is_some());
        }
        if let Some(found) = found(number) {
            suspicion.add_to_route(margin, route, found);
        }
    }

    /// The logarithm of the e-value at this weight if as many of control's as [`ONE_ATTACKER`] can make were made to hide the candidate's.
    pub(super) fn ln_if_hidden(&self, margin: Margin, at: Part) -> f64 {
        let chosen = self.of_control.get(&at).copied().unwrap_or_default().min(ONE_ATTACKER);
        self.suspicion.ln_without(margin, at, chosen)
    }

    /// Whether this is the client that counts for its network.
    fn is_independent(&mut self, bad: &Bad) -> bool {
        let (Some(network), Some(client)) = (bad.network, bad.client) else { return true };
        if self.networks.len() >= MOST_NETWORKS && !self.networks.contains_key(&network) {
            return false;
        }
        *self.networks.entry(network).or_insert(client) == client
    }

    /// The logarithm of the e-value.
    pub(super) fn ln_e_value(&self, margin: Margin, count: Count) -> f64 {
        self.suspicion.ln_e_value(margin, count)
    }

    /// The route that speaks loudest, if one alone does, and what was counted.
    pub(super) fn counted(&self, margin: Margin, what: &str) -> (Option<String>, String) {
        let Loudest { route, counted } = self.suspicion.loudest(margin);
        (route, counted.in_words(what, ""))
    }
}
