//! What a proxy sees in a slot: load that drifts, bursts of failures, stalls, cold starts, odd and wrong answers.

mod copies;
mod flags;

use std::{collections::BTreeMap, time::Duration};

use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, Poisson};
use tierup_rollout::{
    Bucket, Latencies, Part, Phase, Side, Weights,
    evidence::{Bad, BadKind, Event, Live, MOST_BAD, SLOT, Slot, Witness},
};

use self::flags::Flags;
use super::{
    clients::Clients,
    latency::Law,
    worlds::{Attack, Breaks, World},
};

/// The routes, and their parts of the traffic.
const ROUTES: [(&str, f64); 4] = [("GET /list", 0.7), ("GET /items/*", 0.255), ("GET /rare", 0.005), (EFFECTS, 0.04)];
/// A route with effects that can be attributed: lanes make its copies, at most ten a second.
pub(super) const EFFECTS: &str = "POST /orders";
const LANES: f64 = 10.0;
/// The name of `GET /list` in worlds where safe requests are sent with POST.
pub(super) const SAFE_POST: &str = "POST /list";
/// The route that has noise of its own.
const NOISY: &str = "GET /items/*";

const SIDES: [Side; 3] = [Side::Control, Side::Candidate, Side::Twin];
const SECONDS: f64 = SLOT as f64;
/// The part of the copies that goes to the second control process, if there is one, and the part of the candidate's
/// answers that is mirrored back to control.
const SECOND: f64 = 0.5;
const VERIFY: f64 = 0.1;

/// What the proxy saw in one slot.
pub(super) struct Seen {
    pub(super) slot: Slot,
    pub(super) events: Vec<Event>,
    /// How many of the candidate's answers were compared.
    pub(super) compared: u64,
}

impl Seen {
    /// Gives a route another name.
    fn rename(&mut self, from: &str, to: &str) {
        let Slot { live, bad, copies, .. } = &mut self.slot;
        let confirmed = self.events.iter_mut().filter_map(|event| match event {
            Event::Confirmed(confirmed) => Some(&mut confirmed.route),
            _ => None,
        });
        let live = live.iter_mut().map(|live| &mut live.route);
        let routes =
            live.chain(bad.iter_mut().map(|bad| &mut bad.route)).chain(copies.iter_mut().map(|of| &mut of.route));
        routes.chain(confirmed).filter(|route| *route == from).for_each(|route| to.clone_into(route));
    }
}

pub(super) struct Traffic<'a> {
    world: &'a World,
    second: f64,
    flags: Flags,
    clients: Clients,
    bad_clients: Vec<usize>,
    /// The number of the slot.
    slot: u64,
    /// The number of slots at the last step so far.
    at_last: u64,
    /// How many seconds of traffic candidate and twin still need to become warm.
    cold: [f64; 2],
    /// How many slots the current burst of failures still lasts.
    burst: u32,
    /// The latencies of control and candidate, warm and cold.
    laws: [[Law; 2]; 2],
    /// How busy candidate and twin were in the slot before, as parts of their capacity.
    busy_before: [f64; 2],
    /// The weights, and the parts of the traffic that go to control, candidate and twin with them.
    parts: (Weights, [f64; 3]),
}

impl<'a> Traffic<'a> {
    pub(super) fn new(world: &'a World, random: &mut StdRng) -> Self {
        let clients = Clients::new(world.clients, random);
        // Cold code takes four times as long.
        let law = |slower: f64, tail| [1.0, 4.0].map(|cold| Law::new(slower * cold, tail));
        Traffic {
            world,
            second: if world.has_twin { SECOND } else { 0.0 },
            flags: Flags::new(world.flags, random),
            parts: (Weights::CONTROL_ONLY, clients.parts(Weights::CONTROL_ONLY)),
            bad_clients: if world.has_bad_clients { clients.bad(random) } else { Vec::new() },
            clients,
            laws: [law(1.0, 1.0), law(world.slower, world.slower_tail)],
            busy_before: [0.0; 2],
            slot: 0,
            at_last: 0,
            cold: [(); 2].map(|()| if world.is_cold { random.random_range(45.0..75.0) } else { 0.0 }),
            burst: 0,
        }
    }

    pub(super) fn slot(&mut self, weights: Weights, ramp: &str, generation: u64, random: &mut StdRng) -> Seen {
        if self.parts.0 != weights {
            self.parts = (weights, self.clients.parts(weights));
        }
        let (load, failures) = self.weather(random);
        let stalled = [(); 2].map(|()| self.world.stalls && random.random_bool(SECONDS / 60.0));
        let mut seen = Seen { slot: Slot::default(), events: Vec::new(), compared: 0 };
        let requests = self.world.requests_a_second * load * SECONDS;
        let live = self.live(requests, random);
        let busy = self.busy(requests, &live);
        self.at_last += u64::from(weights.candidate >= Part::MOST);
        let bad = self.bad(requests, failures, weights, random);
        let (mut live, mut bad) = self.broken(live, bad, weights, random);
        if self.world.attack == Some(Attack::Failing) {
            attack(&mut live, &mut bad, weights, random);
        }
        self.flags.slot(random);
        let candidate = &self.laws[usize::from(self.is_slower(weights))];
        seen.slot = Slot {
            ramp: Some(ramp.to_owned()),
            generation,
            phase: Some(if weights.candidate == Part::NONE { Phase::Shadow } else { Phase::Ramping }),
            lasted: SLOT * 1000,
            mirroring: true,
            sample: Part::of_ten_thousand((self.world.copied * 1e4) as u16).expect("a part"),
            second: Part::of_ten_thousand((self.second * 1e4) as u16).expect("a part"),
            latencies: self.latencies(&live, candidate, random),
            late: self.late(&live, weights, random),
            live,
            bad,
            copy_latencies: self.copy_latencies(requests, [candidate, &self.laws[0]], busy, stalled, random),
            copies: self.copies(requests, &mut seen, random),
            ..Slot::default()
        };
        if self.world.has_safe_posts {
            seen.rename(ROUTES[0].0, SAFE_POST);
        }
        self.cold.iter_mut().for_each(|cold| *cold -= SECONDS);
        self.slot += 1;
        seen
    }

    fn part(&self, side: Side) -> f64 {
        self.parts.1[side as usize]
    }

    /// The factors of the load and of the rate of failures.
    fn weather(&mut self, random: &mut StdRng) -> (f64, f64) {
        if !self.world.drifts {
            return (1.0, 1.0);
        }
        // A day is half an hour. Every ten minutes, on average, failures are thirty times as frequent for a minute.
        let day = (self.slot as f64 * SECONDS / 1800.0 * std::f64::consts::TAU).sin();
        if self.burst == 0 && random.random_bool(SECONDS / 600.0) {
            self.burst = 12;
        }
        let failures = if self.burst > 0 { 30.0 } else { 1.0 };
        self.burst = self.burst.saturating_sub(1);
        (1.0 + 0.8 * day, failures)
    }

    fn live(&self, requests: f64, random: &mut StdRng) -> Vec<Live> {
        let mut live = Vec::new();
        for (route, part) in ROUTES {
            for side in SIDES {
                let answered = count(requests * part * self.part(side), random);
                if answered > 0 {
                    live.push(Live { route: route.into(), side, answered, errors: 0, silent: 0 });
                }
            }
        }
        live
    }

    fn bad(&self, requests: f64, failures: f64, weights: Weights, random: &mut StdRng) -> Vec<Bad> {
        let world = self.world;
        let mut all = Vec::new();
        let mut add = |kind, client: u64, random: &mut StdRng| {
            let side = Bucket(client).side(weights);
            all.push(Bad {
                kind,
                route: route(random).into(),
                side,
                weights,
                client: Some(client),
                network: self.network(client),
            });
        };
        for (kind, rate) in [
            (BadKind::Error, world.errors * failures),
            (BadKind::TimedOut, world.unanswered),
            (BadKind::Left, world.left),
        ] {
            // Clients that leave at once are no failures, but their number may also be higher within the margin.
            let ratio = if kind == BadKind::Left { world.ratio.min(1.25) } else { world.ratio };
            // Draws as many as the candidate would give if it answered all requests.
            for _ in 0..count(requests * rate * ratio, random) {
                let client = if world.has_new_clients { random.random() } else { self.clients.who(random) };
                if Bucket(client).side(weights) == Side::Candidate || random.random_bool(1.0 / ratio) {
                    add(kind, client, random);
                }
            }
        }
        for _ in 0..count(requests * world.hangs, random) {
            let client = self.clients.who(random);
            if Bucket(client).side(weights) == Side::Candidate {
                add(BadKind::Left, client, random);
            }
        }
        for client in &self.bad_clients {
            for _ in 0..count(requests * self.clients.part(*client) * 0.1, random) {
                add(BadKind::Error, self.clients.bucket(*client), random);
            }
        }
        all
    }

    fn is_broken(&self) -> Option<Breaks> {
        self.world.breaks.filter(|_| self.at_last as f64 * SECONDS >= 600.0)
    }

    /// Counts bad answers among those to clients. If the candidate has broken down, all its answers are bad.
    fn broken(
        &self,
        mut live: Vec<Live>,
        mut bad: Vec<Bad>,
        weights: Weights,
        random: &mut StdRng,
    ) -> (Vec<Live>, Vec<Bad>) {
        let broken = match self.is_broken() {
            Some(Breaks::Errors) => Some(BadKind::Error),
            Some(Breaks::Hangs) => Some(BadKind::TimedOut),
            Some(Breaks::Slow) | None => None,
        };
        if let Some(kind) = broken {
            bad.retain(|bad| bad.side != Side::Candidate || bad.kind == BadKind::Left);
            let of_candidate: Vec<_> = live.iter().filter(|live| live.side == Side::Candidate).cloned().collect();
            for Live { route, answered, .. } in of_candidate {
                for _ in 0..answered {
                    let client = self.client_of_candidate(weights, random);
                    bad.push(Bad {
                        kind,
                        route: route.clone(),
                        side: Side::Candidate,
                        weights,
                        client: Some(client),
                        network: self.network(client),
                    });
                }
            }
        }
        for bad in &bad {
            if let Some(live) = live.iter_mut().find(|live| live.side == bad.side && live.route == bad.route) {
                match bad.kind {
                    BadKind::Left => live.answered = live.answered.saturating_sub(1),
                    BadKind::Error => live.errors += u64::from(live.errors < live.answered),
                    _ if live.answered > live.errors => {
                        live.answered -= 1;
                        live.silent += 1;
                    }
                    _ => {}
                }
            }
        }
        // A slot lists a limited number, drawn at random. `swap_remove` may reorder them, as their order carries no meaning.
        while bad.len() > MOST_BAD {
            bad.swap_remove(random.random_range(0..bad.len()));
        }
        (live, bad)
    }

    /// The clients whose answers took 8 s.
    fn late(&self, live: &[Live], weights: Weights, random: &mut StdRng) -> Vec<Witness> {
        if self.is_broken() != Some(Breaks::Slow) {
            return Vec::new();
        }
        let answered: u64 = live.iter().filter(|live| live.side == Side::Candidate).map(|live| live.answered).sum();
        let late = (0..answered.min(MOST_BAD as u64)).map(|_| self.client_of_candidate(weights, random));
        late.filter_map(|client| Witness::new(Some(client), self.network(client))).collect()
    }

    fn network(&self, client: u64) -> Option<u64> {
        match self.world.offices {
            0 => self.world.is_public.then_some(client),
            // The attacker's networks have the smaller numbers.
            offices => Some(1000 + client % offices),
        }
    }

    fn client_of_candidate(&self, weights: Weights, random: &mut StdRng) -> u64 {
        let mut clients = std::iter::repeat_with(|| self.clients.who(random));
        clients.find(|client| Bucket(*client).side(weights) == Side::Candidate).expect("there is always another")
    }

    fn is_slower(&self, weights: Weights) -> bool {
        weights.candidate.ten_thousandths() >= self.world.slower_from * 100
    }

    /// How long answers to clients took, in worlds where the candidate becomes slow late in the ramp.
    fn latencies(&self, live: &[Live], candidate: &[Law; 2], random: &mut StdRng) -> BTreeMap<Side, Latencies> {
        let mut latencies = BTreeMap::<Side, Latencies>::new();
        let mut add = |side, took: Latencies| latencies.entry(side).or_default().merge(&took);
        for live in live {
            let is_candidate = live.side == Side::Candidate;
            if self.world.breaks == Some(Breaks::Slow) {
                let is_slow = is_candidate && self.is_broken().is_some();
                let mut took = Latencies::default();
                took.add_many(Duration::from_millis(if is_slow { 8_000 } else { 20 }), live.answered);
                add(live.side, took);
            } else if self.world.slower_from >= 50 {
                let law = if is_candidate { &candidate[0] } else { &self.laws[0][0] };
                add(live.side, law.sample(live.answered as f64, 1.0, 0.0, random));
            }
        }
        latencies
    }
}

/// Fifty requests a second that fail at every server, from twenty public addresses. Each has a new key that belongs to
/// the candidate.
fn attack(live: &mut [Live], bad: &mut Vec<Bad>, weights: Weights, random: &mut StdRng) {
    let Some(live) = live.iter_mut().find(|live| live.side == Side::Candidate) else { return };
    for kind in [BadKind::Error, BadKind::TimedOut, BadKind::Left] {
        for _ in 0..125 {
            let client = std::iter::repeat_with(|| random.random())
                .find(|client| Bucket(*client).side(weights) == Side::Candidate);
            let route = live.route.clone();
            bad.push(Bad {
                kind,
                route,
                side: Side::Candidate,
                weights,
                client,
                network: Some(random.random_range(0..20)),
            });
        }
    }
    live.answered += 125;
    live.errors += 125;
    live.silent += 125;
}

/// A random route, by its part of the traffic.
fn route(random: &mut StdRng) -> &'static str {
    let mut place: f64 = random.random();
    ROUTES
        .iter()
        .find(|(_, part)| {
            place -= part;
            place < 0.0
        })
        .map_or(EFFECTS, |(route, _)| route)
}

/// A random number of something of which `expected` come on average.
pub(super) fn count(expected: f64, random: &mut StdRng) -> u64 {
    match Poisson::new(expected) {
        Ok(law) => law.sample(random) as u64,
        // The expected number is 0.
        Err(_) => 0,
    }
}
