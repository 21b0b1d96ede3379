//! Inputs that find differences between tiers, and the rules for what counts as a difference.
//!
//! - What to ask: [`edge_arguments`] and [`random_arguments`] for functions, [`hostile`] for servers.
//! - What came back: an [`Observation`], of a server's [`Answer`], a function's [`Call`] or a [`Silence`].
//! - Whether two are alike: [`compare`], by a [`Policy`], gives a [`Finding`] with its [`Difference`]s; a [`Tally`] of
//!   findings gives a [`Verdict`]. [`Noise`] is the difference between two answers of the control itself.
//! - What to show: [`diff`] of two bodies, and the [`smallest`] arguments that still differ.
//!
//! Only the callers send requests, run functions and print. `docs/comparing.md` explains the rules to users.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - a new comparator of bodies: a variant in `src/comparator.rs`, its work in `src/compare/` and `src/compare.rs`,
//!   its diff in `src/diff.rs`; its name in `[check]`: `crates/tierup-project/src/check.rs`
//! - how two numbers compare within a tolerance: `src/compare/json.rs`
//! - a header that counts in a check: `src/headers.rs`
//! - a hostile request: `src/hostile/`
//! - how a compressed body is read: `src/coding.rs`
//! - the reasons why an answer is missing: `src/silence.rs`

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod coding;
mod comparator;
mod compare;
mod content_type;
mod diff;
mod difference;
mod edges;
mod finding;
mod headers;
mod hostile;
pub mod json;
mod location;
mod memory;
mod mutate;
mod noise;
mod observation;
mod parts;
mod path;
mod random;
mod shapes;
mod shrink;
mod silence;
mod tally;
mod value_json;

pub use coding::{decode, decoding, plain};
pub use comparator::{
    CallOrder, Comparator, DuplicateKeys, ErrorBodies, HeaderRules, JsonRules, LineEnds, Numbers, Parameters, Policy,
    TextRules, Tolerance, TrailingSpace,
};
pub use compare::is_same_call;
pub use diff::diff;
pub use difference::{Difference, Differences, LONGEST, MOST, Place};
pub use edges::{edge_arguments, edges};
pub use finding::{Finding, compare, wants_meaning};
pub use headers::not_compared;
pub use hostile::{Framing, Hostile, Limits, Methods, hostile};
pub use location::{Location, Step};
pub use memory::memory_of;
pub use mutate::mutated_arguments;
pub use noise::Noise;
pub use observation::{Answer, Call, Coding, DownstreamCall, Observation, Outcome, Seen};
pub use parts::{places, visit_parts};
pub use path::{Path, PathError};
pub use random::random_arguments;
pub use shapes::{Shape, shapes, shapes_of};
pub use shrink::{smaller, smaller_arguments, smallest};
pub use silence::Silence;
pub use tally::{Tally, Verdict};
pub use value_json::value_json;
