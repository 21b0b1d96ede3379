//! The part that the records of both experiments share: what measured, when and where, and how to repeat it.

use serde::{Deserialize, Serialize};

use super::Estimate;

/// The parts of a report that are not measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heading {
    /// What is measured: a project's name or an address.
    pub title: String,
    /// The shell command that repeats the run.
    pub command: String,
    /// Programs and versions that matter.
    pub versions: Vec<(String, String)>,
    /// Estimates to show beside the measured limit.
    pub estimates: Vec<Estimate>,
}

/// How a record was made. In JSON, its fields stand beside the record's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of tierup that measured.
    pub tierup: String,
    /// What was measured, for headings: a project's name or an address.
    pub title: String,
    /// The shell command that repeats the run.
    pub command: String,
    /// When measuring began, RFC 3339.
    pub began: String,
    /// How long it took, from the first process's start to the last one's end.
    pub seconds: f64,
    pub environment: Environment,
    /// Earlier estimates, to be shown beside the measured limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<Estimate>,
    /// Whether the user cut it short: some blocks are missing.
    pub interrupted: bool,
}

/// The machine, and what else it was doing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub processor: String,
    /// The processors that this run may use, as the scheduler and the cgroup's quota allow.
    pub processors: f64,
    pub memory: u64,
    pub kernel: String,
    /// Program and version, e.g. `node` and `20.20.2`.
    pub versions: Vec<(String, String)>,
    pub before: Busyness,
    pub after: Busyness,
    /// What could not be measured here, in words, e.g. PSS if the system does not report it.
    pub lacks: Vec<String>,
}

/// How busy the machine was with other work, at rest: before the first server was started, and after the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Busyness {
    /// The processors that others kept busy, e.g. 0.3 of one, over a second.
    pub others: f64,
    /// The processors that a hypervisor took away (steal time), over the same second.
    pub stolen: f64,
    /// The load average over one minute.
    pub load: f64,
}
