//! Which weights were in force when a request was given its server, as Envoy's access log cannot tell it. Times are
//! milliseconds since 1970 of this machine's clock, which is Envoy's too.

use std::{
    collections::VecDeque,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tierup_rollout::Weights;

/// Envoy's main thread confirms new weights, and its workers have them a moment later.
const SETTLES: Duration = Duration::from_secs(1);
/// More changes than a request lasts.
const MOST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Timeline(VecDeque<Period>);

#[derive(Debug)]
struct Period {
    weights: Weights,
    told: u64,
    /// When every worker certainly had them.
    sure: Option<u64>,
    /// When Envoy forgets them, if nobody tells them again.
    until: u64,
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, milliseconds)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Timeline {
    /// The weights are about to be told.
    pub(super) fn told(&mut self, weights: Weights, now: u64) {
        self.forget_future(now);
        if self.0.back().is_some_and(|last| last.weights == weights && now < last.until) {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Period { weights, told: now, sure: None, until: u64::MAX });
    }

    /// Somebody may have set the clock back: then no time before is certain.
    pub(super) fn forget_future(&mut self, now: u64) {
        if self.0.back().is_some_and(|last| now < last.told) {
            self.0.clear();
        }
    }

    /// Envoy confirmed the weights that were told at `told`.
    pub(super) fn confirmed(&mut self, told: u64, ttl: Duration, now: u64) {
        if let Some(last) = self.0.back_mut() {
            last.sure.get_or_insert(now + milliseconds(SETTLES));
            last.until = told + milliseconds(ttl);
        }
    }

    /// The weights under which a request of this time was given its server; `None` if that is uncertain.
    pub(super) fn at(&self, routed: u64) -> Option<Weights> {
        let period = self.0.iter().rev().find(|period| period.told <= routed)?;
        let is_sure = period.sure.is_some_and(|sure| routed >= sure) && routed < period.until;
        is_sure.then_some(period.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_certain_after_they_settled_and_until_they_end() {
        let (none, five) = (Weights::CONTROL_ONLY, Weights::with_twin("5%".parse().expect("a part")));
        let (mut timeline, ttl) = (Timeline::default(), Duration::from_secs(60));
        timeline.told(none, 10_000);
        assert_eq!(timeline.at(20_000), None, "unconfirmed");
        timeline.confirmed(10_000, ttl, 10_005);
        assert_eq!(
            [9_999, 11_004, 11_005, 69_999, 70_000].map(|at| timeline.at(at)),
            [None, None, Some(none), Some(none), None]
        );
        // A heartbeat prolongs them, and a failed one does not.
        timeline.told(none, 40_000);
        timeline.confirmed(40_000, ttl, 40_005);
        timeline.told(none, 60_000);
        assert_eq!([12_000, 99_999, 100_000].map(|at| timeline.at(at)), [Some(none), Some(none), None]);
        timeline.told(five, 80_000);
        timeline.confirmed(80_000, ttl, 80_030);
        assert_eq!([79_999, 80_000, 81_029, 81_030].map(|at| timeline.at(at)), [Some(none), None, None, Some(five)]);
        // They ended, and begin again.
        timeline.told(five, 150_000);
        timeline.confirmed(150_000, ttl, 150_001);
        assert_eq!(
            [139_999, 140_000, 151_000, 151_001].map(|at| timeline.at(at)),
            [Some(five), None, None, Some(five)]
        );
        // The clock is set back, after the last change and before it.
        timeline.told(none, 152_000);
        timeline.forget_future(151_500);
        assert_eq!(timeline.at(151_100), None);
        timeline.told(none, 151_600);
        timeline.confirmed(151_600, ttl, 151_600);
        timeline.told(none, 20_000);
        timeline.confirmed(20_000, ttl, 20_001);
        assert_eq!([19_999, 21_001, 151_600].map(|at| timeline.at(at)), [None, Some(none), None]);
    }
}
