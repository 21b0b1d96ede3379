//! What the database holds beside the ramp itself: evidence files, decisions, and costs of answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tierup_rollout::{Part, Side, files::Position};

use crate::Action;

/// A proxy's evidence file, and the proxy's state at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Source {
    #[serde(skip)]
    pub(crate) position: Position,
    /// The servers' addresses.
    pub(crate) sides: BTreeMap<Side, String>,
    pub(crate) unreachable: Vec<Side>,
    pub(crate) ended: bool,
}

/// A decision, and its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Starts at 1, and counts over all ramps of the state folder.
    pub number: u64,
    pub ramp: String,
    /// In seconds since 1970.
    pub at: u64,
    /// The generation of the control file that puts the decision into force.
    pub generation: u64,
    pub decision: Action,
    /// The candidate's weight from then on.
    pub weight: Part,
    pub reasons: Vec<String>,
}

/// Answers and processor time of one side in one hour.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// The number of answers in slots with known processor time.
    pub(crate) answered: u64,
    /// Processor time in seconds.
    pub(crate) processor: f64,
}

/// Costs by hour since 1970, and by side.
pub(crate) type Costs = BTreeMap<(u64, Side), Cost>;
