//! What a ramp knows and has decided: one value.
//!
//! A round changes it as a whole: if the change cannot be stored, the value of before takes its place again, and the next
//! round reads the same evidence once more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_rollout::{Judge, Phase, RampKey, Side, Weights};

use crate::{
    Decided,
    intake::{Heard, Waiting},
    stored::Source,
};

/// A ramp as it is stored, without its [`Mind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saved {
    /// Eight hexadecimal digits.
    pub(crate) name: String,
    pub(crate) key: RampKey,
    /// When it began, in seconds since 1970.
    pub(crate) began: u64,
    /// The judge's own time, in milliseconds: that for which a judge ran.
    pub(crate) elapsed: u64,
    pub(crate) phase: Phase,
    pub(crate) weights: Weights,
    pub(crate) generation: u64,
}

/// What the judge thinks. The database has it as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mind {
    pub(crate) judge: Judge,
    pub(crate) waiting: Waiting,
    /// `ready` was announced for this step.
    pub(crate) is_ready: bool,
}

/// All that a round may change.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) saved: Saved,
    pub(crate) mind: Mind,
    /// The evidence files, and how far they were read.
    pub(crate) sources: BTreeMap<String, Source>,
    /// What was decided last, in this ramp or before it.
    pub(crate) last: Option<Decided>,
    // The fields below are not stored; a restarted judge starts with them empty.
    pub(crate) heard: Heard,
    /// When evidence came last, by the steady clock.
    pub(crate) seen: u64,
    /// When control was first asked after evidence had stopped to come, by the steady clock.
    pub(crate) asked: Option<u64>,
    /// When a proxy told the processor time of a side last, by the steady clock.
    pub(crate) metered: BTreeMap<Side, u64>,
    /// Why control answers all although the candidate has a weight.
    pub(crate) suspended: Option<String>,
    /// The judge has not decided anything since it was started.
    pub(crate) is_restart: bool,
    /// What the last look at the evidence came to.
    pub(crate) words: Vec<String>,
}

impl Known {
    pub(crate) fn in_force(&self) -> Weights {
        if self.suspended.is_some() { Weights::CONTROL_ONLY } else { self.saved.weights }
    }
}
