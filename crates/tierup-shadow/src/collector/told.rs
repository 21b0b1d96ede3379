//! The types that a collector takes in and passes on.

use std::time::Duration;

use tierup_rollout::{
    Bucket, Part, Phase, Side, Weights,
    evidence::{BadKind, Entry},
};

use super::Route;

/// What does not change within a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    /// The ramp and the generation of the control file; `None` and 0 without one.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    /// The weights in force for requests that begin.
    pub weights: Weights,
    /// Whether copies are made.
    pub mirroring: bool,
    /// The part of the safe requests that is in the sample.
    pub sample: Part,
    /// The part of the copies that goes to the second control process.
    pub second: Part,
}

impl Default for Regime {
    fn default() -> Regime {
        Regime {
            ramp: None,
            generation: 0,
            phase: None,
            weights: Weights::CONTROL_ONLY,
            mirroring: true,
            sample: Part::ALL,
            second: Part::NONE,
        }
    }
}

/// What is passed on as it happens.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all notes are entries")]
pub enum Note {
    Entry(Entry),
    /// The [`Regime`] has changed, so the slot ends here.
    Regime,
}

/// A client's answer.
#[derive(Debug, Clone, Copy)]
pub struct Answered {
    pub route: Route,
    pub side: Side,
    /// The weights in force when the request was assigned.
    pub weights: Weights,
    /// `None` if nothing identifies the client.
    pub client: Option<Bucket>,
    /// The client's network, if its address is public.
    pub network: Option<Bucket>,
    pub outcome: Outcome,
    /// The time from the request's head to the answer's, or to the end of waiting.
    pub took: Duration,
}

/// How a request ended for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a status below 500.
    Answered,
    Bad(BadKind),
}

/// What happened to a request of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    Same,
    /// The answers differ; `kind` is that of the first difference. Some mismatches are no evidence
    /// ([`Copies::no_evidence`](tierup_rollout::evidence::Copies::no_evidence)).
    Mismatch {
        kind: String,
        is_evidence: bool,
    },
    /// No copy was made, for this reason.
    Dropped(&'static str),
    /// There was nothing to compare, for this reason.
    NotComparable(String),
}

/// How long two compared answers took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Took {
    /// The answer to the client.
    pub answer: Duration,
    /// The answer to the copy.
    pub copy: Duration,
    /// Whether control answered the client, so that chance alone sent the copy to candidate or twin. Only such copies
    /// can show which of the two is slower.
    pub by_chance: bool,
}
