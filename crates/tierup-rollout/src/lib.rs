//! What the programs of a rollout tell each other, as data.
//!
//! Two programs take part. The *proxy* answers clients and appends [evidence](evidence::Line) to its own files. The
//! *judge* reads them, decides, and replaces the [control file](Control), which the proxies read. Neither waits for the
//! other. If a control file is missing, unreadable or stale, control answers every request.
//!
//! In: texts and numbers. Out: texts and numbers. Nothing here touches a file, a socket or a clock.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - when a candidate advances or is rolled back: `src/judge/`; try it with `cargo run --release -p tierup-rollout
//!   --example simulate`; inside processes: `src/inside.rs`

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod buckets;
mod control;
pub mod evidence;
pub mod files;
mod inside;
mod judge;
mod latencies;
mod network;
mod sticky;
mod store_url;
mod through;
mod weights;

pub use buckets::{Bucket, Buckets, RampKey};
pub use control::{Control, Phase, STALE_AFTER, Unreadable};
pub use inside::{InsideControl, InsideCounts, InsideJudge};
pub use judge::{Charge, Decision, Golden, Judge, Kind, Plan, PlanError, Reason, Treatment};
pub use latencies::Latencies;
pub use network::{Peers, is_public, network};
pub use sticky::{Sticky, StickyError};
pub use store_url::{StoreUrl, StoreUrlError};
pub use through::{EnvoySettings, HaProxySettings, NginxSettings, Through};
pub use weights::{Part, PartError, Side, Weights};
