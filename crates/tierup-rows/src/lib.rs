//! A project's rows, made into what is measured and checked: servers that can be started, and functions that can be called.
//!
//! In: a project, and built rows of it (`tierup-build`). Out: what `tierup-bench` and `tierup-check` take, which know neither
//! projects nor how a row is started: [rows](planned) and [calls](planned_calls) of a benchmark, the [check](check_project) of a
//! project, and the [hash](golden_hashes) of a golden call at every row. Servers that run already are rows, too
//! ([`standing_rows`]). For a rollout: the [servers](sides) of both sides, the
//! [shadow](Shadow) in front of them, and [golden calls](GoldenCalls) to them.

mod answers;
mod benched;
mod called;
mod checked;
mod golden;
mod golden_calls;
mod memo;
mod profiled;
mod server;
mod shadow;
pub mod sides;
mod standing;

pub use answers::Answers;
pub use benched::planned;
pub use called::{Calls, planned_calls};
pub use checked::check_project;
pub use golden::golden_hashes;
pub use golden_calls::GoldenCalls;
pub use profiled::profiled;
pub use server::server;
pub use shadow::{Setup, Shadow};
pub use standing::{Labelled, addresses, standing_rows};
