//! How long a server must make no call after an answer for its calls to have ended.
//!
//! Most servers make their calls before they answer, some after it. Control shows how late: waiting long for every
//! request would leave few to compare, and waiting too briefly would give one request's call to the next.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The shortest wait while little is known.
const FIRST: Duration = Duration::from_millis(500);
/// After this many requests, enough is known.
const ENOUGH: u64 = 20;
/// The shortest wait: a busy machine delays everything now and then.
const LEAST: Duration = Duration::from_millis(50);
/// The longest wait: with a longer one, requests would find no lane.
const MOST: Duration = Duration::from_secs(2);
/// The wait as a multiple of the latest call so far.
const FACTOR: u64 = 4;

/// What is known so far, for all threads.
#[derive(Debug, Default)]
pub(super) struct Settle {
    requests: AtomicU64,
    /// How long after an answer the latest call came, in microseconds.
    latest: AtomicU64,
}

impl Settle {
    /// How long to wait from now on.
    pub(super) fn time(&self) -> Duration {
        let known = Duration::from_micros(self.latest.load(Relaxed).saturating_mul(FACTOR));
        let least = if self.requests.load(Relaxed) < ENOUGH { FIRST } else { LEAST };
        known.clamp(least, MOST)
    }

    /// Notes that a request's last call began this long after its answer.
    pub(super) fn learn(&self, late: Duration) {
        self.latest.fetch_max(u64::try_from(late.as_micros()).unwrap_or(u64::MAX), Relaxed);
        self.requests.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_calls_behind_its_answers_is_waited_for() {
        let millis = |number| Duration::from_millis(number);
        let settle = Settle::default();
        assert_eq!(settle.time(), FIRST);
        settle.learn(millis(200));
        assert_eq!(settle.time(), millis(800));
        let settle = Settle::default();
        (0..ENOUGH).for_each(|_| settle.learn(Duration::ZERO));
        assert_eq!(settle.time(), LEAST);
        settle.learn(millis(30));
        assert_eq!(settle.time(), millis(120));
        settle.learn(Duration::MAX);
        assert_eq!(settle.time(), MOST);
    }
}
