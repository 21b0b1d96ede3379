//! What a ramp knows and has decided: one value.
//!
//! A round changes it as a whole. If the change cannot be stored, the earlier value is restored, and the next round
//! reads the same evidence again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_rollout::{Judge, Phase, RampKey, Side, Weights};

use crate::{
    Decided,
    intake::{Heard, Waiting},
    stored::Source,
};

/// A ramp as it is stored, without its [`Mind`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// Eight hexadecimal digits.
    pub(crate) name: String,
    pub(crate) key: RampKey,
    /// When it began, in seconds since 1970.
    pub(crate) began: u64,
    /// The judge's own time in milliseconds: for how long a judge has run.
    pub(crate) elapsed: u64,
    pub(crate) phase: Phase,
    pub(crate) weights: Weights,
    pub(crate) generation: u64,
}

/// The judge's state, stored as JSON in the database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mind {
    pub(crate) judge: Judge,
    pub(crate) waiting: Waiting,
    /// Whether `ready` was announced for this step.
    pub(crate) is_ready: bool,
}

/// Everything that a round may change.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) saved: Saved,
    pub(crate) mind: Mind,
    /// The evidence files, and how far they were read.
    pub(crate) sources: BTreeMap<String, Source>,
    /// The last decision, in this ramp or before it.
    pub(crate) last: Option<Decided>,
    // The fields below are not stored; a restarted judge starts with them empty.
    pub(crate) heard: Heard,
    /// When evidence last arrived, by the steady clock.
    pub(crate) seen: u64,
    /// When control first got a request after evidence had stopped, by the steady clock.
    pub(crate) asked: Option<u64>,
    /// When a proxy last reported each side's processor time, by the steady clock.
    pub(crate) metered: BTreeMap<Side, u64>,
    /// Why control answers all requests although the candidate has a weight.
    pub(crate) suspended: Option<String>,
    /// Whether the judge has decided nothing since it was restarted.
    pub(crate) is_restart: bool,
    /// What the last look at the evidence found, in words.
    pub(crate) words: Vec<String>,
}

impl Known {
    pub(crate) fn in_force(&self) -> Weights {
        if self.suspended.is_some() { Weights::CONTROL_ONLY } else { self.saved.weights }
    }
}
