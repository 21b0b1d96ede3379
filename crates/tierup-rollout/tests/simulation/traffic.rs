//! What a proxy sees in a slot: load that drifts, bursts of failures, stalls, cold starts, odd and wrong answers.

use std::collections::BTreeMap;

use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, Poisson};
use tierup_rollout::{
    Bucket, Latencies, Part, Phase, Side, Weights,
    evidence::{AGAIN_AFTER, Bad, BadKind, Confirmed, Copies, Event, Live, MOST_BAD, Pair, SLOT, Slot},
};

use super::{
    clients::Clients,
    latency::Law,
    worlds::{Attack, Breaks, World},
};

/// The routes, and their parts of the traffic.
const ROUTES: [(&str, f64); 4] = [("GET /list", 0.7), ("GET /items/*", 0.255), ("GET /rare", 0.005), (EFFECTS, 0.04)];
/// A route whose effects are attributed: its copies are made by lanes, ten a second at most.
pub(super) const EFFECTS: &str = "POST /orders";
const LANES: f64 = 10.0;
/// The route with noise of its own.
const NOISY: &str = "GET /items/*";

const SIDES: [Side; 3] = [Side::Control, Side::Candidate, Side::Twin];
const SECONDS: f64 = SLOT as f64;
/// The parts of the copies that go to the second control process, if there is one, and of the candidate's answers that go back to
/// control.
const SECOND: f64 = 0.5;
const VERIFY: f64 = 0.1;
/// What a process can do, as a part of all requests of an ordinary time.
const CAPACITY: f64 = 0.6;

/// What was seen in one slot.
pub(super) struct Seen {
    pub(super) slot: Slot,
    pub(super) events: Vec<Event>,
    /// Answers of the candidate that were compared.
    pub(super) compared: u64,
}

pub(super) struct Traffic<'a> {
    world: &'a World,
    second: f64,
    flags: Flags,
    clients: Clients,
    bad_clients: Vec<usize>,
    /// The number of the slot.
    slot: u64,
    /// Slots at the last step.
    at_last: u64,
    /// The seconds of traffic that candidate and twin still need until they are warm.
    cold: [f64; 2],
    /// Slots that the present burst of failures still lasts.
    burst: u32,
    /// How long control and candidate take, warm and cold.
    laws: [[Law; 2]; 2],
    /// How much candidate and twin had to do in the slot before, as parts of what they can.
    busy_before: [f64; 2],
    /// The parts of the traffic that control, candidate and twin get with these weights.
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
        let candidate = &self.laws[usize::from(weights.candidate > Part::NONE || !self.world.slower_with_clients)];
        seen.slot = Slot {
            ramp: Some(ramp.to_owned()),
            generation,
            phase: Some(if weights.candidate == Part::NONE { Phase::Shadow } else { Phase::Ramping }),
            lasted: SLOT * 1000,
            mirroring: true,
            sample: Part::of_ten_thousand((self.world.copied * 1e4) as u16).expect("a part"),
            second: Part::of_ten_thousand((self.second * 1e4) as u16).expect("a part"),
            latencies: self.latencies(&live),
            live,
            bad,
            copy_latencies: self.copy_latencies(requests, [candidate, &self.laws[0]], busy, stalled, random),
            copies: self.copies(requests, &mut seen, random),
            ..Slot::default()
        };
        self.cold.iter_mut().for_each(|cold| *cold -= SECONDS);
        self.slot += 1;
        seen
    }

    fn part(&self, side: Side) -> f64 {
        self.parts.1[side as usize]
    }

    /// Factors of the load and of the rate of failures.
    fn weather(&mut self, random: &mut StdRng) -> (f64, f64) {
        if !self.world.drifts {
            return (1.0, 1.0);
        }
        // A day pressed into half an hour, and a minute of thirty times the failures every ten minutes.
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
            all.push(Bad { kind, route: route(random).into(), side, weights, client: Some(client), network: None });
        };
        for (kind, rate) in [
            (BadKind::Error, world.errors * failures),
            (BadKind::TimedOut, world.unanswered),
            (BadKind::Left, world.left),
        ] {
            // Clients that leave at once are no failures: within the margin, there may be more of them, too.
            let ratio = if kind == BadKind::Left { world.ratio.min(1.25) } else { world.ratio };
            // As many as the candidate would give if it answered all.
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

    /// Each bad answer is one of those to clients; and if the candidate has broken down, so are all of its own.
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
                    let client = std::iter::repeat_with(|| self.clients.who(random))
                        .find(|client| Bucket(*client).side(weights) == Side::Candidate);
                    bad.push(Bad { kind, route: route.clone(), side: Side::Candidate, weights, client, network: None });
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
        // Their order has nothing to do with their kind; more than a slot lists are chosen by chance.
        while bad.len() > MOST_BAD {
            bad.swap_remove(random.random_range(0..bad.len()));
        }
        (live, bad)
    }

    /// How long answers to clients took, where that matters: 20 ms, or 8 s.
    fn latencies(&self, live: &[Live]) -> BTreeMap<Side, Latencies> {
        let mut latencies = BTreeMap::<Side, Latencies>::new();
        if self.world.breaks == Some(Breaks::Slow) {
            for live in live {
                let is_slow = live.side == Side::Candidate && self.is_broken().is_some();
                let took = std::time::Duration::from_millis(if is_slow { 8_000 } else { 20 });
                latencies.entry(live.side).or_default().add_many(took, live.answered);
            }
        }
        latencies
    }

    /// All copies of what control answered.
    fn copied(&self, requests: f64) -> f64 {
        requests * (1.0 - self.part(Side::Candidate)) * self.world.copied
    }

    /// How busy candidate and twin are, from 0 to 1: by what they have to do now, and still have to do.
    fn busy(&mut self, requests: f64, live: &[Live]) -> [f64; 2] {
        if !self.world.is_loaded {
            return [0.0; 2];
        }
        let capacity = self.world.requests_a_second * SECONDS * CAPACITY;
        let now = [(Side::Candidate, 1.0 - self.second), (Side::Twin, self.second)].map(|(side, part)| {
            let live: u64 = live.iter().filter(|live| live.side == side).map(|live| live.answered).sum();
            (live as f64 + self.copied(requests) * part) / capacity
        });
        let before = std::mem::replace(&mut self.busy_before, now);
        [0, 1].map(|number| (0.7 * now[number] + 0.3 * before[number]).min(0.95))
    }

    /// How long the copies took, which candidate and twin get by chance.
    fn copy_latencies(
        &self,
        requests: f64,
        laws: [&[Law; 2]; 2],
        busy: [f64; 2],
        stalled: [bool; 2],
        random: &mut StdRng,
    ) -> BTreeMap<Side, Latencies> {
        let mut sample = |number: usize, part: f64| {
            let law = &laws[number][usize::from(self.cold[number] > 0.0)];
            // As in the simplest queue.
            let slowed = 1.0 / (1.0 - busy[number]);
            let stalled = if stalled[number] { 0.3 / SECONDS } else { 0.0 };
            law.sample(self.copied(requests) * part, slowed, stalled, random)
        };
        [(Side::Candidate, sample(0, 1.0 - self.second)), (Side::Twin, sample(1, self.second))].into()
    }

    fn copies(&self, requests: f64, seen: &mut Seen, random: &mut StdRng) -> Vec<Copies> {
        let world = self.world;
        let not_candidates = 1.0 - self.part(Side::Candidate);
        let mut copies = Vec::new();
        for (route, part) in ROUTES {
            let noise = if route == NOISY { world.noise_of_one.max(world.noise) } else { world.noise };
            let of_route = requests * part;
            let copied = match route == EFFECTS {
                true => (of_route * not_candidates).min(LANES * SECONDS),
                false => of_route * not_candidates * world.copied,
            };
            let verified = if route == EFFECTS { 0.0 } else { of_route * self.part(Side::Candidate) * VERIFY };
            let pairs = [
                (Pair::Candidate, copied * (1.0 - self.second)),
                (Pair::Second, copied * self.second),
                (Pair::Verify, verified),
            ];
            for (pair, expected) in pairs {
                let all = count(expected, random);
                if all == 0 {
                    continue;
                }
                let (odd, mut wrong) = (count(all as f64 * noise * 2.0, random), 0);
                let remembered = count(all as f64 * world.remembered.0, random);
                let flagged = match route == EFFECTS {
                    true => 0,
                    false => count(all as f64 * self.flags.differ[usize::from(pair == Pair::Second)], random),
                };
                if pair != Pair::Second {
                    wrong = count(all as f64 * world.wrong, random);
                    seen.compared += all;
                }
                self.confirm(pair, route, [odd, wrong, remembered], noise, seen, random);
                let mismatched = (odd + wrong + remembered + flagged).min(all);
                // Of the attacker, one on a route in an hour is evidence.
                let is_odd = self.world.attack == Some(Attack::Odd) && pair == Pair::Candidate;
                let forged = if is_odd { all / 2 } else { 0 };
                copies.push(Copies {
                    same: all - mismatched,
                    mismatched: mismatched + forged,
                    no_evidence: forged.saturating_sub(u64::from(self.slot.is_multiple_of(720))),
                    // A few are lost.
                    dropped: BTreeMap::from([("too many copies under way".to_owned(), all / 50)]),
                    ..Copies::new(route, pair)
                });
            }
        }
        copies
    }

    /// Asks both sides again, as the proxies do, for answers that differed by chance, for those that are wrong, and for
    /// those that differ as long as processes remember. A proxy begins with ten a minute.
    fn confirm(
        &self,
        pair: Pair,
        route: &str,
        [odd, wrong, remembered]: [u64; 3],
        noise: f64,
        seen: &mut Seen,
        random: &mut StdRng,
    ) {
        let times = self.world.asked_again as i32;
        if times == 0 {
            return;
        }
        // Half of the odd answers were control's own, and it would have to be odd again in the same way.
        let agrees = (1.0 - noise).powi(times);
        let odd_again = noise.powi(times) * agrees / 2.0;
        let asked_for: u64 = AGAIN_AFTER.iter().sum();
        let still = (1.0 - asked_for as f64 / self.world.remembered.1.max(1.0)).max(0.0);
        if self.world.attack == Some(Attack::Odd) && pair == Pair::Candidate && self.slot.is_multiple_of(4) {
            let request = format!("GET /list?odd={}", self.slot);
            seen.events.push(lasting(pair, route, request, 7));
        }
        let mut lasts = |many: u64, part: f64| (0..many).filter(|_| random.random_bool(part)).count();
        let confirmed = lasts(odd, odd_again) + lasts(wrong, agrees) + lasts(remembered, agrees * still);
        for _ in 0..confirmed {
            if !random.random_bool((10.0 * SECONDS / 60.0 / (confirmed as f64 * 4.0)).min(1.0)) {
                continue;
            }
            let request = format!("GET /list?page={}", random.random_range(0..self.world.pages));
            seen.events.push(lasting(pair, route, request, self.clients.who(random)));
        }
    }
}

/// Flags that each process polls for itself.
struct Flags {
    /// The part of the answers that one changes, and the seconds between changes.
    world: Option<(f64, f64)>,
    /// When control, candidate and twin poll, within [`POLLED`] seconds.
    phases: [f64; 3],
    changes: Vec<f64>,
    now: f64,
    /// The parts of the answers that differ in this slot: candidate and control, twin and control.
    differ: [f64; 2],
}

const POLLED: f64 = 30.0;

impl Flags {
    fn new(world: Option<(f64, f64)>, random: &mut StdRng) -> Flags {
        let phases = if world.is_some() { [(); 3].map(|()| random.random_range(0.0..POLLED)) } else { [0.0; 3] };
        Flags { world, phases, changes: Vec::new(), now: 0.0, differ: [0.0; 2] }
    }

    fn slot(&mut self, random: &mut StdRng) {
        let Some((part, every)) = self.world else { return };
        self.differ = [0.0; 2];
        let steps = 50;
        for _ in 0..steps {
            self.now += SECONDS / f64::from(steps);
            if random.random_bool(SECONDS / f64::from(steps) / every) {
                self.changes.push(self.now);
            }
            let knows = |phase: f64| {
                let polled = ((self.now - phase) / POLLED).floor() * POLLED + phase;
                self.changes.iter().filter(|change| **change <= polled).count() % 2
            };
            let [control, candidate, twin] = self.phases.map(knows);
            for (differ, other) in self.differ.iter_mut().zip([candidate, twin]) {
                *differ += if other == control { 0.0 } else { part / f64::from(steps) };
            }
        }
    }
}

/// Fifty requests a second that fail at every server, of one public address, each with another key whose side is the
/// candidate's.
fn attack(live: &mut [Live], bad: &mut Vec<Bad>, weights: Weights, random: &mut StdRng) {
    let Some(live) = live.iter_mut().find(|live| live.side == Side::Candidate) else { return };
    for kind in [BadKind::Error, BadKind::TimedOut, BadKind::Left] {
        for _ in 0..125 {
            let client = std::iter::repeat_with(|| random.random())
                .find(|client| Bucket(*client).side(weights) == Side::Candidate);
            let route = live.route.clone();
            bad.push(Bad { kind, route, side: Side::Candidate, weights, client, network: Some(7) });
        }
    }
    live.answered += 125;
    live.errors += 125;
    live.silent += 125;
}

fn lasting(pair: Pair, route: &str, request: String, client: u64) -> Event {
    let (route, words) = (route.into(), "$.total is 3 and 4".into());
    Event::Confirmed(Confirmed { pair, route, request, words, client, status: 200 })
}

/// A route, by its part of the traffic.
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

/// How many of something came, of which `expected` come on average.
pub(super) fn count(expected: f64, random: &mut StdRng) -> u64 {
    match Poisson::new(expected) {
        Ok(law) => law.sample(random) as u64,
        // None is expected.
        Err(_) => 0,
    }
}
