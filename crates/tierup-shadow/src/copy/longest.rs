//! How long a request may take and still be copied: a few times as long as others of its route. A longer one would keep
//! its memory from others.
//!
//! In: how long one thread's requests took. Out: a limit for each route.

use std::{cell::RefCell, collections::BTreeMap, mem, time::Duration};

use tierup_rollout::Latencies;

use crate::collector::Route;

/// The limit of an unknown route, and the largest limit.
const MOST: Duration = Duration::from_secs(30);
/// The smallest limit: copies that take too long are looked for only once a second.
const LEAST: Duration = Duration::from_secs(1);
/// The limit as a multiple of a route's p99.
const FEW: u32 = 4;
/// How many requests are needed to know a route's p99.
const ENOUGH: u64 = 100;

#[derive(Default)]
pub(super) struct Longest(RefCell<BTreeMap<Route, Times>>);

struct Times {
    latencies: Latencies,
    longest: Duration,
}

impl Longest {
    /// Takes in a complete answer, copied or not, so that the limit follows a route that becomes slower.
    pub(super) fn answered(&self, route: Route, took: Duration) {
        let mut routes = self.0.borrow_mut();
        let times = routes.entry(route).or_insert_with(|| Times { latencies: Latencies::default(), longest: MOST });
        times.latencies.add(took);
        if times.latencies.count() >= ENOUGH {
            let p99 = mem::take(&mut times.latencies).quantile(0.99);
            times.longest = p99.map_or(MOST, |p99| (p99 * FEW).clamp(LEAST, MOST));
        }
    }

    pub(super) fn of(&self, route: Route) -> Duration {
        self.0.borrow().get(&route).map_or(MOST, |times| times.longest)
    }
}

#[cfg(test)]
mod tests {
    use hyper::Method;

    use super::*;
    use crate::collector::Collector;

    #[test]
    fn a_routes_limit_is_a_few_times_its_p99() {
        let counter = Collector::new(&[]).0.counter();
        let [quick, slow, polls] = ["/quick", "/slow", "/polls"].map(|path| counter.route(&Method::GET, path));
        let longest = Longest::default();
        let answer = |route, millis| (0..ENOUGH).for_each(|_| longest.answered(route, Duration::from_millis(millis)));
        assert_eq!(longest.of(slow), MOST, "nothing is known");
        [(quick, 5), (slow, 1000), (polls, 25_000)].into_iter().for_each(|(route, millis)| answer(route, millis));
        let seconds = [quick, slow, polls].map(|route| longest.of(route).as_secs_f64());
        assert!(seconds[0] == 1.0 && (3.8..4.2).contains(&seconds[1]) && seconds[2] == 30.0, "{seconds:?}");
        answer(slow, 5000);
        assert!(longest.of(slow) > Duration::from_secs(18), "it became slower");
    }
}
