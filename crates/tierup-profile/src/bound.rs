//! The gain of rewriting one function, by the profile's own arithmetic (Amdahl 1967). In: the function's share of the
//! CPU, how much faster it becomes, and what crossing to Rust costs. Out: a [`Bound`], in numbers and in words.
//!
//! A measured ceiling shows at least this gain: the function's garbage, compilation and pauses are in other rows of the
//! profile, and disappear together with the function.

use tierup_report::numbers;

use crate::share::Share;

/// Above this share, the bound is mostly noise: at 99.4 % of 1,000 samples it is 167x [77, 363].
const MOSTLY_NOISE: f64 = 0.95;

/// The assumed rewrite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rewrite {
    /// How many times less CPU the function takes; infinite if its CPU goes to 0.
    pub speedup: f64,
    /// The cost of its calls after the rewrite, as a part of all CPU before.
    pub crossing: f64,
}

impl Default for Rewrite {
    /// The rewritten function takes no time, and neither do its calls.
    fn default() -> Rewrite {
        Rewrite { speedup: f64::INFINITY, crossing: 0.0 }
    }
}

/// By what factor the CPU of a request falls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    share: f64,
}

impl Bound {
    /// The bound for a function with this share.
    pub fn new(share: Share, rewrite: Rewrite) -> Bound {
        let gain = |p: f64| 1.0 / ((1.0 - p) + p / rewrite.speedup + rewrite.crossing);
        let interval = share.interval.map(|(low, high)| (gain(low), gain(high)));
        Bound { value: gain(share.value), interval, share: share.value }
    }

    /// `about 11x by its own time [9, 14], more where the runtime's work goes with it`.
    pub fn text(&self) -> String {
        format!("{}, more where the runtime's work goes with it", self.short())
    }

    /// [`text`](Bound::text) without the part about the runtime's work.
    pub fn short(&self) -> String {
        let interval = self.interval.filter(|_| self.share <= MOSTLY_NOISE);
        let interval = interval.map(|(low, high)| format!(" [{}, {}]", end(low), end(high)));
        format!("{} by its own time{}", self.size(), interval.unwrap_or_default())
    }

    /// `about 11x`.
    pub(crate) fn size(&self) -> String {
        if self.share > MOSTLY_NOISE {
            let at_least = self.interval.map_or(self.value, |(low, _)| low).min(1.0 / (1.0 - MOSTLY_NOISE));
            return format!("more than {}", about(at_least));
        }
        format!("about {}", about(self.value))
    }
}

/// The value in two digits, as a profile is not precise enough for a third.
fn about(value: f64) -> String {
    format!("{}x", end(value))
}

fn end(value: f64) -> String {
    match value {
        value if value >= 1000.0 => ">1,000".to_owned(),
        value if value >= 9.95 => numbers::count(value),
        value => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(value: f64, interval: Option<(f64, f64)>, rewrite: Rewrite, expected: Expect) {
        expected.assert_eq(&Bound::new(Share { value, interval }, rewrite).text());
    }

    #[test]
    fn a_bound_is_written_in_words() {
        let free = Rewrite::default();
        check(
            0.91,
            Some((0.89, 0.93)),
            free,
            expect!["about 11x by its own time [9.1, 14], more where the runtime's work goes with it"],
        );
        check(0.2, None, free, expect!["about 1.2x by its own time, more where the runtime's work goes with it"]);
        // Calculated by hand: 1 / (0.09 + 0.0455 + 0.01).
        check(
            0.91,
            Some((0.89, 0.93)),
            Rewrite { speedup: 20.0, crossing: 0.01 },
            expect!["about 6.9x by its own time [6.1, 7.9], more where the runtime's work goes with it"],
        );
    }

    #[test]
    fn a_share_close_to_one_has_only_a_lower_bound() {
        let free = Rewrite::default();
        check(
            0.994,
            Some((0.987, 0.998)),
            free,
            expect!["more than 20x by its own time, more where the runtime's work goes with it"],
        );
        check(
            0.96,
            Some((0.90, 1.0)),
            free,
            expect!["more than 10x by its own time, more where the runtime's work goes with it"],
        );
        assert!(Bound::new(Share { value: 1.0, interval: None }, free).value.is_infinite());
    }
}
