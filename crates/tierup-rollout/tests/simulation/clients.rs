//! The clients of a simulated server: how many requests each sends (Zipf's law), and its bucket.

use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, Zipf};
use tierup_rollout::{Bucket, Weights};

pub(super) struct Clients {
    buckets: Vec<u64>,
    law: Zipf<f64>,
    /// The requests of all clients, as a multiple of the first client's.
    all: f64,
}

impl Clients {
    pub(super) fn new(clients: usize, random: &mut StdRng) -> Clients {
        Clients {
            buckets: (0..clients).map(|_| random.random()).collect(),
            law: Zipf::new(clients as f64, 1.0).expect("a number of clients"),
            all: (1..=clients).map(|rank| 1.0 / rank as f64).sum(),
        }
    }

    /// The bucket of the client that sent a request.
    pub(super) fn who(&self, random: &mut StdRng) -> u64 {
        self.buckets[self.law.sample(random) as usize - 1]
    }

    pub(super) fn bucket(&self, client: usize) -> u64 {
        self.buckets[client]
    }

    /// A client's part of all requests.
    pub(super) fn part(&self, client: usize) -> f64 {
        1.0 / (client + 1) as f64 / self.all
    }

    /// The parts of the requests that go to control, to the candidate and to the twin.
    pub(super) fn parts(&self, weights: Weights) -> [f64; 3] {
        let mut parts = [0.0; 3];
        for (client, bucket) in self.buckets.iter().enumerate() {
            parts[Bucket(*bucket).side(weights) as usize] += self.part(client);
        }
        parts
    }

    /// The clients that get a 5xx now and then from any server: one in a hundred.
    pub(super) fn bad(&self, random: &mut StdRng) -> Vec<usize> {
        (0..self.buckets.len()).filter(|_| random.random_bool(0.01)).collect()
    }
}
