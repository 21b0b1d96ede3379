//! Confirmed differences: those that remained when both sides were asked again. In: which process differed from
//! control, on which request of which client. Out: the reason to roll back, or to wait.
//!
//! Asking again over more than a minute rules out chance, but not what equal processes do at different times: if each
//! fills its own cache for five minutes, they differ as steadily as with a mistake. So copies to the twin, a second
//! process of control, are asked again in the same way, and a route on which the twin also differs steadily is *noisy*.
//! If a difference is as likely the twin's as the candidate's, each is a coin toss. So a rollback needs so many
//! different requests that differ at the candidate, and none at the twin, that this has a probability of at most
//! [`CHANCE`].

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{ONE_ATTACKER, decision::Reason};
use crate::{
    evidence::{Confirmed, Pair, is_ordinary},
    weights::Part,
};

/// The largest probability with which, of equal processes, only the candidate differs on a route.
const CHANCE: f64 = 0.001;
/// How many clients of one proxy must see a difference, beside those that may be one attacker: a single client could
/// have searched for a request that differs.
const CLIENTS: usize = 3;
/// The most requests, and the most clients of a proxy, that are told apart on a route.
const MOST: usize = 200;
/// Without a second process of control, the number of requests is computed as if it got half of the copies.
const WITHOUT_SECOND: f64 = 0.5;

/// Confirmed differences, by route.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Confirmations(BTreeMap<String, OfRoute>);

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct OfRoute {
    /// Whether the twin differed, too.
    is_noisy: bool,
    /// Each request that differed, with its first difference in words.
    requests: BTreeMap<String, String>,
    /// The clients by proxy, as each proxy numbers its clients itself. `true` marks networks.
    clients: BTreeMap<String, BTreeSet<(u64, bool)>>,
    /// A request that control itself answered with an error or with 304, and that status.
    odd: Option<(String, u16)>,
}

impl Confirmations {
    pub(super) fn take(&mut self, proxy: &str, route: &str, confirmed: &Confirmed) {
        let of = self.0.entry(route.to_owned()).or_default();
        if confirmed.pair == Pair::Second {
            *of = OfRoute { is_noisy: true, ..OfRoute::default() };
        }
        if of.is_noisy {
            return;
        }
        if !is_ordinary(confirmed.status) {
            of.odd.get_or_insert_with(|| (confirmed.request.clone(), confirmed.status));
            return;
        }
        if of.requests.len() < MOST {
            of.requests.entry(confirmed.request.clone()).or_insert_with(|| confirmed.words.clone());
        }
        let clients = of.clients.entry(proxy.to_owned()).or_default();
        if clients.len() < MOST {
            clients.insert((confirmed.client, confirmed.is_network));
        }
    }

    /// The reason to end the ramp, if there are enough confirmed differences. Noisy routes never end it. If nearly all
    /// answers differ, one request is enough. `second` is the part of the copies that goes to the twin.
    pub(super) fn ends(
        &self,
        second: Option<Part>,
        is_noisy: impl Fn(&str) -> bool,
        is_wholly_wrong: impl Fn(&str) -> bool,
    ) -> Option<Reason> {
        self.0.iter().filter(|(route, _)| !is_noisy(route)).find_map(|(route, of)| {
            let needed = if is_wholly_wrong(route) { 1 } else { needed(second) };
            let is_enough = of.requests.len() >= needed && of.clients().is_enough();
            let (request, words) = of.requests.iter().next().filter(|_| is_enough)?;
            Some(Reason::Confirmed { route: route.clone(), request: request.clone(), words: words.clone() })
        })
    }

    /// The confirmed differences that are not enough to end the ramp.
    pub(super) fn waits(&self, second: Option<Part>, is_noisy: impl Fn(&str) -> bool) -> impl Iterator<Item = Reason> {
        self.0.iter().filter(move |(route, _)| !is_noisy(route)).flat_map(move |(route, of)| {
            let few = of.requests.iter().next().map(|(request, words)| Reason::FewConfirmed {
                route: route.clone(),
                request: request.clone(),
                words: words.clone(),
                requests: of.requests.len() as u64,
                needed: needed(second) as u64,
                clients: of.clients().all as u64,
                clients_needed: of.clients().needed() as u64,
            });
            let odd = of.odd.as_ref().map(|(request, status)| Reason::ConfirmedAtStatus {
                route: route.clone(),
                request: request.clone(),
                status: *status,
            });
            few.into_iter().chain(odd)
        })
    }
}

/// The number of clients that one proxy saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Clients {
    all: usize,
    networks: usize,
}

impl OfRoute {
    /// The clients of the proxy that saw most. Proxies cannot be added up, as each names the same client differently.
    fn clients(&self) -> Clients {
        let of = |seen: &BTreeSet<(u64, bool)>| {
            let networks = seen.iter().filter(|(_, is_network)| *is_network).count();
            Clients { all: seen.len(), networks }
        };
        self.clients.values().map(of).max_by_key(|clients| clients.all - clients.left_out()).unwrap_or_default()
    }
}

impl Clients {
    fn left_out(self) -> usize {
        self.networks.min(ONE_ATTACKER as usize)
    }

    fn is_enough(self) -> bool {
        self.all - self.left_out() >= CLIENTS
    }

    fn needed(self) -> usize {
        CLIENTS + if self.networks > 0 { ONE_ATTACKER as usize } else { 0 }
    }
}

/// How many different requests must differ only at the candidate.
fn needed(second: Option<Part>) -> usize {
    let of_candidate = 1.0 - second.map_or(WITHOUT_SECOND, Part::fraction);
    let needed = (CHANCE.ln() / of_candidate.ln()).ceil();
    // If the twin gets hardly any copies, no finite number is enough.
    if needed.is_finite() { (needed as usize).clamp(CLIENTS, MOST) } else { MOST }
}
