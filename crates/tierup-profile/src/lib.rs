//! Profiles of a host's server: which functions of the user's own code take the CPU, and what a rewrite of one could buy.
//!
//! In: profiles as tools write them ([`read`]), and the rules by which a host names its frames ([`Naming`]). Out: a
//! [`Ranking`] as text, JSON and a page with a flame graph, and the profile in other tools' formats. It opens no files
//! and starts no programs.
//!
//! # How a profile is taken
//!
//! `tierup profile` takes a profile or reads one. To take one, `tierup-sampling` starts the server with its host's
//! `Sensor` (for instance `hosts/node/src/profile.rs`: data, as everywhere), loads it with the benchmark's load in
//! blocks with and without the sensor (`crates/tierup-sampling/src/run.rs`), and counts its processes' CPU. In each
//! block it also requests every route alone (`Set::routes`; `src/routes.rs` has the figures). Agents also count what
//! the server allocates (`taken.rs`). If a host's sensor is not available, its `fallback_sensor` replaces it
//! (`crates/tierup/src/commands/profile/taking/sensor.rs`). To profile a server that runs already, tierup attaches to
//! it (`crates/tierup-sampling/src/watch.rs`, `sampler/inspected.rs` for Node).
//!
//! `tierup-profile` reads the sampler's output (`read/`), decides by the host's `FrameRule`s whose code a frame is
//! (`naming.rs`), ranks the user's own functions (`rank.rs`; `rank/ownership.rs` finds the packages that only they
//! reach), bounds the gain of a rewrite (`bound.rs`), and lays out text, JSON and the flame graph (`report/`,
//! `flame/`). After the load, `crates/tierup/src/commands/profile/taking/observing.rs` watches the first candidates in
//! single requests (in Go and Java it only counts calls, as their source declares types); `rank/observed.rs` adds the
//! cost of calls of Rust to their bounds (the host's `Crossing`, from `conformance/crossings`).
//! `crates/tierup/src/kept_bounds.rs` keeps the bounds for `tierup ceiling`, whose
//! `crates/tierup-bench/src/analysis/estimates.rs` shows them beside its measurements.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
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
pub use routes::{RouteCost, RouteCounts, Routes};
pub use sensed::{Allocated, Sensed, Slowdown};
pub use share::Share;
pub use source_maps::{Placed, SourceMaps};
pub use verdict::Verdict;
pub use weights::Whole;
pub use words::prospect;
pub use write::{collapsed, speedscope};
