//! Requests to be sent, and in which order.

use crate::Request;
use crate::random::Random;

/// Distinct requests and their mix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// No two are alike but for their name and place.
    pub requests: Vec<Request>,
    /// Indices of `requests`: an order that has all of them, and every template equally often.
    pub order: Vec<u32>,
    /// For every template the requests that it made.
    shares: Vec<Vec<u32>>,
}

impl Set {
    /// `shares`: for every template the indices of its requests, at least one each.
    pub(crate) fn new(requests: Vec<Request>, shares: Vec<Vec<u32>>, length: usize, seed: u64) -> Set {
        let mut set = Set { requests, order: Vec::new(), shares };
        let longest = set.shares.iter().map(Vec::len).max().unwrap_or(0);
        set.order = set.sequence(length.max(longest.saturating_mul(set.shares.len())), seed);
        set
    }

    /// Indices of [`Set::requests`], `length` or a few more: whole rounds, in each of which every template comes once.
    /// Templates are shuffled within a round; a template's requests come one after the other, then from the first
    /// again. The same seed gives the same sequence.
    pub fn sequence(&self, length: usize, seed: u64) -> Vec<u32> {
        let mut random = Random::of(seed, &[u64::MAX]);
        let mut templates: Vec<&Vec<u32>> = self.shares.iter().collect();
        let mut order = Vec::with_capacity(length.saturating_add(templates.len()).min(1 << 20));
        let mut round = 0;
        while order.len() < length && !templates.is_empty() {
            random.shuffle(&mut templates);
            order.extend(templates.iter().map(|share| share[round % share.len()]));
            round += 1;
        }
        order
    }
}
