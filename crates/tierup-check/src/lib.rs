//! Checks that all rows answer alike: the same calls through every variant, the same requests to every server.
//!
//! In: a project whose rows are built ([`Check::plan`]), or two addresses ([`Check::addresses`]). Out: a [`Report`]. A
//! [`Comparison`] decides what is alike, by the rules of `tierup-parity` and the project's normalizer; benchmarks use
//! it too.
//!
//! # How a check runs
//!
//! `tierup check` has two halves. `functions.rs` calls every row through its host's driver with the arguments of
//! `inputs.rs`. `servers.rs` starts the servers one by one (several at once if each gets one request at a time) and
//! sends each the requests of `questions.rs` in a `Session` of `tierup-subject`, where a `Downstream` stands in
//! for the service that the server calls. Both halves produce observations. `Comparison` (`comparison.rs`) compares
//! them by the project's rules, for `bench` and `shadow` too. `effects.rs` compares all calls that a server made to
//! others. `race.rs` in `tierup-subject` decides whether a missing answer is a failure or a race, that is, a connection
//! that broke before the answer could be read, which says nothing about the server. `without_secrets.rs` removes the
//! secrets that `tierup-requests` knows of. `found.rs` picks the mismatches to show, `counterexample.rs` writes
//! each for programs, `case.rs` writes each as a file
//! that repeats it, and `report.rs` is the data that `text.rs` lays out. `inside.rs` applies the same rules to calls
//! that rollouts inside processes kept.
//!
//! `brief.rs` writes the page for whoever ports a function, from the same inputs and rules, without a call.
//! `shown_value.rs` shows values as JSON without secrets.

mod asked;
mod brief;
mod caller;
mod case;
mod check;
mod comparison;
mod counterexample;
mod coverage;
mod cut;
mod effects;
mod found;
mod functions;
mod html;
mod inputs;
mod inside;
mod kept;
mod least;
mod meanings;
mod mismatch;
mod planned;
mod questions;
mod report;
mod servers;
mod shown_value;
#[cfg(test)]
mod tests;
mod text;
mod without_secrets;

pub use asked::{HostRows, LabelledServer};
pub use brief::{BaselineSource, BriefOrder, brief};
pub use caller::outcome;
pub use check::{Check, OfAddresses, Only};
pub use comparison::Comparison;
pub use counterexample::{Answered, Argument, Counterexample};
pub use coverage::{Coverage, ShapeCoverage};
pub use functions::KeptControls;
pub use inside::{Example, Inside};
pub use kept::keep;
pub use planned::{PlannedCheck, service};
pub use report::{Detail, FORMAT, HeaderReport, Mismatch, NoiseReport, Part, Report, RowReport, SCHEMA, Statuses};
pub use text::statuses as statuses_text;
