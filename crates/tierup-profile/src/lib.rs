//! Profiles of a host's server: which functions of the user's own code take the CPU, and what a rewrite of one could buy.
//!
//! In: profiles as tools write them ([`read`]), and the rules by which a host names its frames ([`Naming`]). Out: a
//! [`Ranking`] as text, JSON and a page with a flame graph, and the profile in other tools' formats. It opens no files and starts no programs.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

mod bound;
mod compare;
mod flame;
mod inlined;
mod naming;
mod page;
mod perf;
mod profile;
mod rank;
mod read;
mod report;
mod routes;
mod sensed;
mod share;
mod source_maps;
mod verdict;
mod weights;
mod words;
mod write;

pub use bound::{Bound, Rewrite};
pub use compare::Comparison;
pub use naming::{Naming, fits};
pub use page::FlamePage;
pub use perf::collapse_perf;
pub use profile::{Frame, FrameId, Kind, Profile, Sample, StackId, Unit};
pub use rank::{CallCost, Function, Hindrance, Observed, Ranking, Rest, What, rank};
pub use read::{Format, MOST_BYTES, Reading, read, read_part};
pub use report::Report;
pub use routes::{Asked, RouteCost, Routes};
pub use sensed::{Allocated, Sensed, Slowdown};
pub use share::Share;
pub use source_maps::{Placed, SourceMaps};
pub use verdict::Verdict;
pub use weights::Whole;
pub use words::prospect;
pub use write::{collapsed, speedscope};
