//! Inputs that find differences between tiers, and what counts as one.

mod comparator;
mod compare;
mod content_type;
mod diff;
mod difference;
mod edges;
mod finding;
mod hostile;
pub mod json;
mod location;
mod noise;
mod observation;
mod outcome;
mod path;
mod tally;
mod value_json;

pub use comparator::{
    Comparator, DuplicateKeys, ErrorBodies, JsonRules, LineEnds, Numbers, Parameters, Policy, TextRules, Tolerance,
    TrailingSpace,
};
pub use diff::diff;
pub use difference::{Difference, Differences, LONGEST, MOST, Place};
pub use edges::{edge_arguments, edges};
pub use finding::{Finding, compare, wants_meaning};
pub use hostile::{Framing, Hostile, Limits, hostile};
pub use location::{Location, Step};
pub use noise::Noise;
pub use observation::{Answer, Call, Observation, Seen};
pub use outcome::Outcome;
pub use path::{Path, PathError};
pub use tally::{Tally, Verdict};
