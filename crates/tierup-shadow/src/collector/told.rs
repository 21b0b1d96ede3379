//! What is told to a collector, and by it.

use std::time::Duration;

use tierup_rollout::{
    Bucket, Part, Phase, Side, Weights,
    evidence::{BadKind, Entry},
};

use super::Route;

/// What stays the same within a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    /// The ramp of the control file, and its generation; `None` and 0 without one.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    /// In force for requests that begin.
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

/// What is told as it happens.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all notes are entries")]
pub enum Note {
    Entry(Entry),
    /// The [`Regime`] has changed: the slot ends here.
    Regime,
}

/// A client's answer.
#[derive(Debug, Clone, Copy)]
pub struct Answered {
    pub route: Route,
    pub side: Side,
    /// In force when the request was assigned.
    pub weights: Weights,
    /// `None` for a client that nothing identifies.
    pub client: Option<Bucket>,
    /// The client's network, if its address is public.
    pub network: Option<Bucket>,
    pub outcome: Outcome,
    /// From the request's head to the answer's, or to the end of waiting.
    pub took: Duration,
}

/// How a request ended, for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a status below 500.
    Answered,
    Bad(BadKind),
}

/// What became of a request of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    Same,
    /// With the kind of its first difference. Some are no evidence
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

/// How long both answers took that were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Took {
    /// The client's.
    pub answer: Duration,
    /// The copy's.
    pub copy: Duration,
    /// Control answered the client, so chance alone chose whether candidate or twin got the copy. Only such copies can show
    /// which of the two is slower.
    pub by_chance: bool,
}
