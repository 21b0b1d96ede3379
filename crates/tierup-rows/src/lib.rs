//! A project's rows, made into what is measured and checked: servers that can be started, and functions that can be called.
//!
//! In: a project, and built rows of it (`tierup-build`). Out: what `tierup-bench` and `tierup-check` take, which know neither
//! projects nor how a row is started: [rows](planned) and [calls](planned_calls) of a benchmark, the [check](check_project) of a
//! project, and the [hash](golden_hashes) of a golden call at every row. For a rollout: the [servers](sides) of both sides, the
//! [shadow](Shadow) in front of them, and [golden calls](GoldenCalls) to them.

mod answers;
mod benched;
mod called;
mod checked;
mod golden;
mod golden_calls;
mod server;
mod shadow;
pub mod sides;

pub use answers::Answers;
pub use benched::planned;
pub use called::{Calls, planned_calls};
pub use checked::check_project;
pub use golden::golden_hashes;
pub use golden_calls::GoldenCalls;
pub use server::server;
pub use shadow::{Setup, Shadow};
