//! Requests to be sent, and in which order.

use crate::Request;
use crate::random::Random;

/// The longest order (64 MiB) that is made only to include every request.
const MOST_COVERED: usize = 1 << 24;

/// Distinct requests and their mix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Distinct requests: requests that differ only in name and place count as one.
    pub requests: Vec<Request>,
    /// Indices of `requests`, at least as many as were asked for. From templates: all of them (unless that took more
    /// than 16 million), and every template equally often. From a recording: as recorded.
    pub order: Vec<u32>,
    /// For every template, or recorded entry, its requests.
    shares: Vec<Vec<u32>>,
}

impl Set {
    /// `shares`: for every template the indices of its requests, at least one each.
    pub(crate) fn new(requests: Vec<Request>, shares: Vec<Vec<u32>>, length: usize, seed: u64) -> Set {
        let mut set = Set { requests, order: Vec::new(), shares };
        let longest = set.shares.iter().map(Vec::len).max().unwrap_or(0);
        let all = longest.saturating_mul(set.shares.len()).min(MOST_COVERED);
        set.order = set.sequence(length.max(all), seed);
        set
    }

    /// Requests as they were recorded: `order` is kept.
    pub(crate) fn recorded(requests: Vec<Request>, order: Vec<u32>) -> Set {
        let shares = order.iter().map(|index| vec![*index]).collect();
        Set { requests, order, shares }
    }

    /// Indices of [`Set::requests`], `length` or a few more: whole rounds. Each round has every template once (in a
    /// recording, every entry).
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
