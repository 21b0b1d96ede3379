//! What the processes of a rollout have counted, in sums.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What all processes have counted: calls, and in `deaths` processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InsideCounts {
    pub calls: u64,
    /// Calls that were chosen to be compared.
    pub sampled: u64,
    /// Sampled calls that were too large to compare.
    pub too_large: u64,
    pub compared: u64,
    /// Calls that the candidate answered differently by the project's rules, or whose arguments it refuses.
    pub different: u64,
    /// Calls that were given to the candidate. If it failed, the control answered.
    pub shared: u64,
    pub panics: u64,
    pub timeouts: u64,
    pub lost: u64,
    /// Processes that ended in a call of the candidate.
    pub deaths: u64,
    /// Pairs of a timed call of each side, and the sums, in millionths, of the candidate's
    /// [leads](ln_e_value_of_leads) below 0, of those above 0, and of their squares.
    pub pairs: u64,
    pub ahead: u64,
    pub behind: u64,
    pub squares: u64,
    /// The nanoseconds that the pairs' calls took.
    pub control_ns: u64,
    pub candidate_ns: u64,
}

impl InsideCounts {
    /// The sums of both.
    #[must_use]
    pub fn and(&self, other: &InsideCounts) -> InsideCounts {
        self.with(other, u64::saturating_add)
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &InsideCounts) -> InsideCounts {
        self.with(before, u64::saturating_sub)
    }

    fn with(&self, other: &InsideCounts, count: fn(u64, u64) -> u64) -> InsideCounts {
        InsideCounts {
            calls: count(self.calls, other.calls),
            sampled: count(self.sampled, other.sampled),
            too_large: count(self.too_large, other.too_large),
            compared: count(self.compared, other.compared),
            different: count(self.different, other.different),
            shared: count(self.shared, other.shared),
            panics: count(self.panics, other.panics),
            timeouts: count(self.timeouts, other.timeouts),
            lost: count(self.lost, other.lost),
            deaths: count(self.deaths, other.deaths),
            pairs: count(self.pairs, other.pairs),
            ahead: count(self.ahead, other.ahead),
            behind: count(self.behind, other.behind),
            squares: count(self.squares, other.squares),
            control_ns: count(self.control_ns, other.control_ns),
            candidate_ns: count(self.candidate_ns, other.candidate_ns),
        }
    }

    /// How many times as long the candidate's timed calls took as the control's.
    pub(super) fn ratio(&self) -> Option<f64> {
        (self.control_ns > 0).then(|| self.candidate_ns as f64 / self.control_ns as f64)
    }

    /// Calls that the candidate was given and did not answer.
    pub(super) fn failed(&self) -> u64 {
        self.panics.saturating_add(self.timeouts).saturating_add(self.lost)
    }
}

impl fmt::Display for InsideCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InsideCounts { calls, compared, different, shared, .. } = self;
        write!(f, "{calls} calls, {compared} compared, {different} different")?;
        if *shared > 0 {
            write!(f, "; {shared} for the candidate, {} failed", self.failed())?;
        }
        match self.ratio() {
            Some(ratio) => write!(f, "; it takes {ratio:.2} times as long"),
            None => Ok(()),
        }
    }
}
