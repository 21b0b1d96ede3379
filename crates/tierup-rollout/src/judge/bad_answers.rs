//! Bad answers: 5xx, no answer in time, or no answer before the client left. In: bad answers to clients, with the
//! weights under which each request was assigned. Out: evidence that too many of them are the candidate's.

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
    /// The first client of each network that had a bad answer. Others may be the same one, with another key.
    networks: BTreeMap<u64, u64>,
    /// Control's bad answers to public networks, by the candidate's weight.
    #[serde(default)]
    of_control: BTreeMap<Part, u64>,
}

/// The most networks that are told apart. Bad answers to further networks do not count, whoever gave them.
const MOST_NETWORKS: usize = 16_384;

impl BadAnswers {
    /// Takes in a bad answer. `route` is the name under which its route is counted.
    pub(super) fn take(&mut self, bad: &Bad, route: &str, margin: Margin) {
        let weight = bad.weights.candidate;
        // If only one side could answer, this is no evidence, and the client's next bad answer may still count.
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
            // A client that knows its side can cause as many bad answers as it has addresses.
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

    /// The logarithm of the e-value at this weight, without those of control's bad answers that [`ONE_ATTACKER`] may
    /// fake.
    pub(super) fn ln_if_hidden(&self, margin: Margin, at: Part) -> f64 {
        let chosen = self.of_control.get(&at).copied().unwrap_or_default().min(ONE_ATTACKER);
        self.suspicion.ln_without(margin, at, chosen)
    }

    /// Whether this client is the one that counts for its network.
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

    /// The route with the most evidence, or `None` if it is that of all together, and what was counted.
    pub(super) fn counted(&self, margin: Margin, what: &str) -> (Option<String>, String) {
        let Loudest { route, counted } = self.suspicion.loudest(margin);
        (route, counted.in_words(what, ""))
    }
}
