//! Requests to be sent, and in which order.

use crate::Request;
use crate::random::Random;

/// An order by ranks has [`DRAWS`] draws for each request, and at least [`FEWEST_DRAWS`] in total: enough to bring the
/// shares of the most frequent requests near their expected values.
const DRAWS: usize = 16;
const FEWEST_DRAWS: usize = 16_384;

/// The longest order (64 MiB) that is made only to include every request.
const MOST_COVERED: usize = 1 << 24;

/// How often each request is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Mix {
    /// Every template once in each round.
    #[default]
    Rounds,
    /// As they were recorded.
    Recorded,
    /// Drawn independently. The share of the request of rank r is proportional to r to the power of minus this
    /// exponent.
    Skewed(f64),
}

/// Distinct requests and their mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// Distinct requests: requests that differ only in name and place count as one.
    pub requests: Vec<Request>,
    /// Indices of `requests`, at least as many as the caller asked for. From templates: every request occurs (unless
    /// that takes more than 16 million indices), and every template equally often. From a recording: as recorded.
    pub order: Vec<u32>,
    /// How `order` was made.
    pub mix: Mix,
    /// For every template, or every recorded entry, the indices of its requests.
    shares: Vec<Vec<u32>>,
}

impl Set {
    /// `shares` has the indices of each template's requests, at least one each.
    pub(crate) fn new(requests: Vec<Request>, shares: Vec<Vec<u32>>, length: usize, seed: u64) -> Set {
        let mut set = Set { requests, order: Vec::new(), mix: Mix::Rounds, shares };
        let longest = set.shares.iter().map(Vec::len).max().unwrap_or(0);
        let all = longest.saturating_mul(set.shares.len()).min(MOST_COVERED);
        set.order = set.sequence(length.max(all), seed);
        set
    }

    /// A set in its recorded `order`.
    pub(crate) fn recorded(requests: Vec<Request>, order: Vec<u32>) -> Set {
        let shares = order.iter().map(|index| vec![*index]).collect();
        Set { requests, order, mix: Mix::Recorded, shares }
    }

    /// The same requests in an order drawn by their ranks (Zipf's law). Breslau, Cao, Fan, Phillips and Shenker, "Web
    /// caching and Zipf-like distributions" (INFOCOM 1999), measured exponents of 0.64 to 0.83 for requests to web
    /// servers. Rank 1 is the first request of the first template, rank 2 the first of the second template, and so on;
    /// then their second requests follow. The same exponent and seed draw the same order everywhere.
    #[must_use]
    pub fn skewed(mut self, exponent: f64, seed: u64) -> Set {
        let ranks = self.ranks();
        let mut sum = 0.0;
        let up_to = |rank: usize| {
            sum += (rank as f64 + 1.0).powf(-exponent);
            sum
        };
        let shares: Vec<f64> = (0..ranks.len()).map(up_to).collect();
        let whole = shares.last().copied().unwrap_or(0.0);
        let mut random = Random::for_path(seed, &[u64::MAX - 1]);
        let length = if ranks.is_empty() { 0 } else { (DRAWS * ranks.len()).clamp(FEWEST_DRAWS, MOST_COVERED) };
        let draw = |_| {
            let point = random.fraction() * whole;
            ranks[shares.partition_point(|up_to| *up_to <= point).min(ranks.len() - 1)]
        };
        self.order = (0..length).map(draw).collect();
        self.mix = Mix::Skewed(exponent);
        self
    }

    /// All requests by rank: the templates take turns with one request each.
    fn ranks(&self) -> Vec<u32> {
        let mut seen = vec![false; self.requests.len()];
        let longest = self.shares.iter().map(Vec::len).max().unwrap_or(0);
        let by_turns = (0..longest).flat_map(|turn| self.shares.iter().filter_map(move |share| share.get(turn)));
        by_turns.copied().filter(|index| !std::mem::replace(&mut seen[*index as usize], true)).collect()
    }

    /// At least `length` indices of [`Set::requests`], in whole rounds. Each round has every template once (in a
    /// recording, every entry), shuffled. A template uses its requests in turn, and begins again after the last. The
    /// same seed gives the same sequence.
    pub fn sequence(&self, length: usize, seed: u64) -> Vec<u32> {
        let mut random = Random::for_path(seed, &[u64::MAX]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Moment, Templates};

    fn set(text: &str, count: usize) -> Set {
        let moment = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
        let templates = Templates::parse("a.http", text).expect("it is one");
        templates.expand(count, 1, &Context::new(moment)).expect("it has no variables")
    }

    fn shares(set: &Set) -> Vec<f64> {
        let mut counts = vec![0.0; set.requests.len()];
        set.order.iter().for_each(|index| counts[*index as usize] += 1.0 / set.order.len() as f64);
        counts
    }

    #[test]
    fn a_skew_gives_ranks_their_shares_in_the_order_of_the_file() {
        let text: String = (0..100).map(|number| format!("GET /{number}\n###\n")).collect();
        let skewed = set(&text, 100).skewed(1.0, 7);
        assert_eq!((skewed.mix, skewed.order.len()), (Mix::Skewed(1.0), FEWEST_DRAWS));
        assert_eq!(skewed.order, set(&text, 100).skewed(1.0, 7).order);
        assert_ne!(skewed.order, set(&text, 100).skewed(1.0, 8).order);
        // The 100th harmonic number is 5.187.
        let found = shares(&skewed);
        for rank in [1, 2, 3, 10] {
            let expected = 1.0 / 5.187 / f64::from(rank);
            let found = found[rank as usize - 1];
            assert!((found - expected).abs() < 0.01, "{rank}: {found}, not {expected}");
        }
        let even = shares(&set(&text, 100).skewed(0.0, 7));
        assert!(even.iter().all(|share| (share - 0.01).abs() < 0.004), "{even:?}");
        let steep = shares(&set(&text, 100).skewed(3.0, 7));
        assert!((steep[0] - 1.0 / 1.202).abs() < 0.01, "{steep:?}");
    }

    #[test]
    fn ranks_alternate_between_templates() {
        let text = "GET /a/{{$guid}}\n###\nGET /b\n###\nGET /c/{{$guid}}\n";
        let skewed = set(text, 9).skewed(1.0, 1);
        let first = |rank: usize| skewed.requests[skewed.ranks()[rank] as usize].target[..2].to_owned();
        assert_eq!((0..6).map(first).collect::<Vec<_>>(), ["/a", "/b", "/c", "/a", "/c", "/a"]);
        assert_eq!(skewed.ranks().len(), skewed.requests.len());
    }
}
