//! What the database holds beside the ramp itself: files that were read, decisions, and what answers cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_rollout::{Part, Side, files::Position};

use crate::Action;

/// A proxy's evidence file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Source {
    #[serde(skip)]
    pub(crate) position: Position,
    /// The servers' addresses.
    pub(crate) sides: BTreeMap<Side, String>,
    pub(crate) unreachable: Vec<Side>,
    pub(crate) ended: bool,
}

/// What was decided, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// From 1, over all ramps of the state folder.
    pub number: u64,
    pub ramp: String,
    /// In seconds since 1970.
    pub at: u64,
    /// That of the control file which puts it into force.
    pub generation: u64,
    pub decision: Action,
    /// The candidate's weight from then on.
    pub weight: Part,
    pub reasons: Vec<String>,
}

/// Answers and processor time of one side in one hour.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cost {
    /// In the slots whose processor time is known.
    pub(crate) answered: u64,
    /// In seconds.
    pub(crate) processor: f64,
}

/// By the hour since 1970 and the side.
pub(crate) type Costs = BTreeMap<(u64, Side), Cost>;
