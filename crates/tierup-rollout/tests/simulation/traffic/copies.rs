//! Copies of a slot's requests: their number and latencies, and how many differed and were confirmed.

use std::collections::BTreeMap;

use rand::{RngExt, rngs::StdRng};
use tierup_rollout::{
    Latencies, Side,
    evidence::{AGAIN_AFTER, Confirmed, Copies, Event, Live, Pair},
};

use super::{EFFECTS, LANES, Law, NOISY, ROUTES, SECONDS, Seen, Traffic, VERIFY, count};
use crate::simulation::worlds::{Attack, Breaks};

/// The capacity of a process, as a part of all requests at an ordinary time.
const CAPACITY: f64 = 0.6;

impl Traffic<'_> {
    /// The number of copies of requests that control answered.
    fn copied(&self, requests: f64) -> f64 {
        requests * (1.0 - self.part(Side::Candidate)) * self.world.copied
    }

    /// How busy candidate and twin are, from 0 to 1, given their new and their queued work.
    pub(super) fn busy(&mut self, requests: f64, live: &[Live]) -> [f64; 2] {
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

    /// How long copies took at candidate and twin, which get them by chance.
    pub(super) fn copy_latencies(
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

    pub(super) fn copies(&self, requests: f64, seen: &mut Seen, random: &mut StdRng) -> Vec<Copies> {
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
                // The attacker's mismatches are evidence only once an hour for each address.
                // Requests that a broken candidate does not answer are not mirrored back.
                let fails = match (self.is_broken(), pair) {
                    (Some(Breaks::Hangs), Pair::Verify) => continue,
                    (Some(Breaks::Errors | Breaks::Hangs), Pair::Candidate | Pair::Verify) => all,
                    _ => 0,
                };
                if fails > 0 {
                    let is_network = self.network(0).is_some();
                    copies.push(match self.is_broken() {
                        Some(Breaks::Hangs) => Copies {
                            only_control: all,
                            not_comparable: BTreeMap::from([("no answer".to_owned(), all)]),
                            ..Copies::new(route, pair)
                        },
                        _ => Copies {
                            only_control: all,
                            mismatched: all,
                            no_evidence: if is_network { all } else { 0 },
                            ..Copies::new(route, pair)
                        },
                    });
                    continue;
                }
                let is_odd = self.world.attack == Some(Attack::Odd) && pair == Pair::Candidate;
                let forged = if is_odd { all / 2 } else { 0 };
                copies.push(Copies {
                    same: all - mismatched,
                    both: all,
                    mismatched: mismatched + forged,
                    no_evidence: forged.saturating_sub(u64::from(self.slot % 720 < 20)),
                    // A few copies are dropped.
                    dropped: BTreeMap::from([("too many copies under way".to_owned(), all / 50)]),
                    ..Copies::new(route, pair)
                });
            }
        }
        copies
    }

    /// Asks both sides again, as proxies do, if answers differed by chance, are wrong, or differ as long as processes
    /// remember. A proxy begins with ten a minute.
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
        // Half of the odd answers were control's own, which would have to be odd again in the same way.
        let agrees = (1.0 - noise).powi(times);
        let odd_again = noise.powi(times) * agrees / 2.0;
        let asked_for: u64 = AGAIN_AFTER.iter().sum();
        let still = (1.0 - asked_for as f64 / self.world.remembered.1.max(1.0)).max(0.0);
        if self.world.attack == Some(Attack::Odd) && pair == Pair::Candidate && self.slot.is_multiple_of(4) {
            let request = format!("GET /list?odd={}", self.slot);
            seen.events.push(Event::Confirmed(Confirmed {
                client: self.slot / 4 % 20,
                is_network: true,
                ..lasting(pair, route, request)
            }));
        }
        let mut lasts = |many: u64, part: f64| (0..many).filter(|_| random.random_bool(part)).count();
        let confirmed = lasts(odd, odd_again) + lasts(wrong, agrees) + lasts(remembered, agrees * still);
        for _ in 0..confirmed {
            if !random.random_bool((10.0 * SECONDS / 60.0 / (confirmed as f64 * 4.0)).min(1.0)) {
                continue;
            }
            let request = format!("GET /list?page={}", random.random_range(0..self.world.pages));
            let client = self.clients.who(random);
            seen.events.push(Event::Confirmed(Confirmed { client, ..lasting(pair, route, request) }));
        }
    }
}

fn lasting(pair: Pair, route: &str, request: String) -> Confirmed {
    let (route, words) = (route.into(), "$.total is 3 and 4".into());
    Confirmed { pair, route, request, words, client: 0, is_network: false, status: 200 }
}
