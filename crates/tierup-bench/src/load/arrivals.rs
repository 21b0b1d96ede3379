//! The planned times of requests in the open loop. In: a [`Pace`]. Out: one worker's turns, in order, each with its place
//! among the turns of all workers. A time follows from those before it, so turns that wait take no memory.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::terms::Pace;

/// A planned request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// Its place among the turns of all workers.
    pub(super) place: usize,
    /// Its time, from the beginning of the load; `None` if that is beyond what a clock can represent.
    pub(super) time: Option<Duration>,
}

/// One worker's turns: every `workers`-th of all.
pub(super) struct Turns {
    rate: f64,
    workers: usize,
    place: usize,
    /// Poisson: the gaps still to come, and the time of `place` in seconds. All workers draw the same gaps, so that the schedule depends
    /// neither on their number nor on what the server does.
    gaps: Option<(ChaCha8Rng, f64)>,
}

impl Turns {
    /// `None` in a closed loop, which plans nothing.
    pub(super) fn new(pace: Pace, workers: usize, first: usize) -> Option<Turns> {
        let (rate, gaps) = match pace {
            Pace::Closed => return None,
            Pace::Open { rate } => (rate, None),
            Pace::Poisson { rate, seed } => (rate, Some((ChaCha8Rng::seed_from_u64(seed), 0.0))),
        };
        let mut turns = Turns { rate, workers, place: 0, gaps };
        turns.advance(first);
        Some(turns)
    }

    /// How many turns are left before this time, for a rate so high that most turns never become due. For a Poisson
    /// process, the mean number.
    pub(super) fn left(&self, length: Duration) -> u64 {
        let all = length.as_secs_f64() * self.rate;
        let left = match &self.gaps {
            None => all.ceil() - self.place as f64,
            Some((_, time)) => all - time * self.rate,
        };
        (left / self.workers as f64).ceil().max(0.0) as u64
    }

    fn advance(&mut self, by: usize) {
        self.place = self.place.saturating_add(by);
        if let Some((random, time)) = &mut self.gaps {
            for _ in 0..by {
                // The gaps of a Poisson process are exponentially distributed. 1 - u is never 0.
                *time -= (1.0 - random.random::<f64>()).ln() / self.rate;
            }
        }
    }
}

impl Iterator for Turns {
    type Item = Turn;

    fn next(&mut self) -> Option<Turn> {
        let seconds = self.gaps.as_ref().map_or(self.place as f64 / self.rate, |(_, time)| *time);
        let turn = Turn { place: self.place, time: Duration::try_from_secs_f64(seconds).ok() };
        self.advance(self.workers);
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of the turns of all workers, in the order of their places, in seconds.
    fn times(pace: Pace, workers: usize, count: usize) -> Vec<f64> {
        let of = |worker| Turns::new(pace, workers, worker).expect("an open loop").take(count.div_ceil(workers));
        let mut turns: Vec<Turn> = (0..workers).flat_map(of).collect();
        turns.sort_by_key(|turn| turn.place);
        turns.iter().take(count).map(|turn| turn.time.expect("a time").as_secs_f64()).collect()
    }

    #[test]
    fn even_turns_have_equal_gaps() {
        assert_eq!(times(Pace::Open { rate: 4.0 }, 3, 5), [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn a_seed_repeats_a_schedule_for_any_number_of_workers() {
        let poisson = |seed, workers| times(Pace::Poisson { rate: 100.0, seed }, workers, 1000);
        let one = poisson(7, 1);
        assert_eq!(poisson(7, 1), one);
        assert_eq!(poisson(7, 3), one);
        assert_ne!(poisson(8, 1), one);
        assert!(one[0] == 0.0 && one.is_sorted(), "the first request is due at once, as with equal gaps");
    }

    /// The number of arrivals in a second is Poisson's: its variance equals its mean (with equal gaps it is 0).
    #[test]
    fn poisson_arrivals_have_the_rate_and_its_variance() {
        let (rate, seconds) = (50.0, 2000);
        let mut counts = vec![0.0; seconds];
        for time in times(Pace::Poisson { rate, seed: 1 }, 2, rate as usize * seconds) {
            if let Some(count) = counts.get_mut(time as usize) {
                *count += 1.0;
            }
        }
        // The last seconds may be incomplete.
        let counts = &counts[..seconds - 50];
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / counts.len() as f64;
        assert!((mean / rate - 1.0).abs() < 0.02, "{mean}");
        assert!((variance / rate - 1.0).abs() < 0.15, "{variance}");
    }
}
