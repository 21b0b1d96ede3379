//! How long a server must call nobody behind an answer for its calls to have ended.
//!
//! Most servers call before they answer; some call behind it. How late is learnt from control: waiting long for everyone
//! would leave few requests to compare, and waiting too shortly gives one request's call to the next.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// While little is known.
const FIRST: Duration = Duration::from_millis(500);
/// How many requests make much.
const ENOUGH: u64 = 20;
/// It is not shorter: a busy machine keeps everything waiting now and then.
const LEAST: Duration = Duration::from_millis(50);
/// It is not longer: no request would have a lane.
const MOST: Duration = Duration::from_secs(2);
/// How many times the latest call so far is waited for.
const FACTOR: u64 = 4;

/// What is known so far, for all threads.
#[derive(Debug, Default)]
pub(super) struct Settle {
    requests: AtomicU64,
    /// How long behind an answer the latest call came, in microseconds.
    latest: AtomicU64,
}

impl Settle {
    /// How long to wait from now on.
    pub(super) fn time(&self) -> Duration {
        let known = Duration::from_micros(self.latest.load(Relaxed).saturating_mul(FACTOR));
        let least = if self.requests.load(Relaxed) < ENOUGH { FIRST } else { LEAST };
        known.clamp(least, MOST)
    }

    /// A request's last call began so long behind its answer.
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
