//! The worlds in which rollouts are simulated: what is true of the candidate, and what goes on around it.

use rand::RngExt;
use rand::rngs::StdRng;

/// A world without trouble in which candidate and control are the same, unless a field says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    pub(crate) requests_a_second: f64,
    /// The parts of control's answers that are 5xx or time out.
    pub(crate) server_errors: f64,
    pub(crate) timeouts: f64,
    /// How many times as many of both the candidate gives.
    pub(crate) ratio: f64,
    /// The part of compared answers in which control differs from itself, and the part in which the candidate is wrong.
    pub(crate) noise: f64,
    pub(crate) wrong: f64,
    /// How many times as long as its twin's the candidate's answers take, and how many times are tolerated.
    pub(crate) slower: f64,
    pub(crate) tolerated: f64,
    /// Load goes up and down fivefold, and failures come in bursts.
    pub(crate) drifts: bool,
    /// Requests stick to one side by their key, and some keys give bad answers.
    pub(crate) bad_keys: Option<BadKeys>,
    /// Every process stands still for 0.3 s a minute.
    pub(crate) stalls: bool,
    /// Candidate and twin start cold, and are slow for about a minute.
    pub(crate) cold: bool,
}

pub(crate) const SAME: World = World {
    name: "the same program twice",
    requests_a_second: 200.0,
    server_errors: 0.001,
    timeouts: 0.0002,
    ratio: 1.0,
    noise: 0.001,
    wrong: 0.0,
    slower: 1.0,
    tolerated: 1.05,
    drifts: false,
    bad_keys: None,
    stalls: false,
    cold: false,
};

const KEYS: BadKeys = BadKeys { keys: 10_000, bad: 0.01, failing: 0.1 };

/// Worlds in which a rollback is a false alarm.
pub(crate) const INNOCENT: [World; 7] = [
    SAME,
    World { name: "drifting load, bursts of failures", drifts: true, ..SAME },
    World { name: "sticky Zipf keys, 1 % of them 10 % bad", bad_keys: Some(KEYS), ..SAME },
    World { name: "each process stalls 0.3 s a minute", stalls: true, ..SAME },
    World { name: "a cold start of 60 s", cold: true, ..SAME },
    World { name: "1.2 times the failures (tolerated: 1.25)", ratio: 1.2, ..SAME },
    World {
        name: "all of these at once",
        ratio: 1.2,
        drifts: true,
        bad_keys: Some(KEYS),
        stalls: true,
        cold: true,
        ..SAME
    },
];

/// Worlds in which the candidate is worse and should be found.
pub(crate) const GUILTY: [World; 4] = [
    World { name: "5xx rise from 0.01 to 0.11 %", server_errors: 0.0001, timeouts: 0.0, ratio: 11.0, ..SAME },
    World { name: "1.5 times the failures, 1 % of all answers", server_errors: 0.01, ratio: 1.5, ..SAME },
    World { name: "answers 20 % slower, with a twin", slower: 1.2, ..SAME },
    World { name: "the same, with stalls and a cold start", slower: 1.2, stalls: true, cold: true, ..SAME },
];

/// Keys whose requests fail now and then, on either side alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BadKeys {
    keys: usize,
    /// The part of the keys that is bad, and the part of their answers that is.
    bad: f64,
    failing: f64,
}

impl BadKeys {
    /// For each bad key, its bad answers a second. How often keys ask is Zipf's law: the second half as often as the
    /// first, the third a third.
    pub(super) fn rates(&self, requests_a_second: f64, random: &mut StdRng) -> Vec<f64> {
        let all: f64 = (1..=self.keys).map(|rank| 1.0 / rank as f64).sum();
        let bad = (1..=self.keys).filter(|_| random.random_bool(self.bad));
        bad.map(|rank| requests_a_second / rank as f64 / all * self.failing).collect()
    }
}
