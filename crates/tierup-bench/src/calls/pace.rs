//! How often to repeat a call so that it takes as long as wanted, by what it took last time.

use std::time::Duration;

/// What one call of a row takes with one argument list, as far as is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pace {
    /// Seconds a call, and how often it was repeated to find that out.
    known: Option<(f64, u32)>,
}

/// The most that the number of repeats grows by at once: the time of one short call is mostly the clock's resolution.
const GROWTH: u32 = 100;

impl Pace {
    pub(super) fn repeat(self, wanted: Duration) -> u32 {
        let Some((seconds, last)) = self.known else { return 1 };
        let most = last.saturating_mul(GROWTH);
        // Division by 0 gives infinity, which `as` makes the largest number.
        ((wanted.as_secs_f64() / seconds) as u32).clamp(1, most)
    }

    /// What a call took, 0 where nothing is known.
    pub(super) fn seconds(self) -> f64 {
        self.known.map_or(0.0, |(seconds, _)| seconds)
    }

    pub(super) fn learn(&mut self, elapsed: Duration, repeat: u32) {
        self.known = Some((elapsed.as_secs_f64() / f64::from(repeat), repeat));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_grows_until_it_takes_as_long_as_wanted() {
        let wanted = Duration::from_millis(15);
        let mut pace = Pace::default();
        assert_eq!(pace.repeat(wanted), 1);
        pace.learn(Duration::ZERO, 1);
        assert_eq!(pace.repeat(wanted), 100);
        pace.learn(Duration::from_micros(1), 100);
        assert_eq!(pace.repeat(wanted), 10_000);
        pace.learn(Duration::from_micros(100), 10_000);
        assert_eq!(pace.repeat(wanted), 1_000_000);
        pace.learn(Duration::from_millis(10), 1_000_000);
        assert_eq!(pace.repeat(wanted), 1_500_000);
    }

    #[test]
    fn a_call_that_takes_longer_is_made_once() {
        let mut pace = Pace::default();
        pace.learn(Duration::from_secs(2), 1);
        assert_eq!(pace.repeat(Duration::from_millis(15)), 1);
    }
}
