//! Whether all rows answer alike: the same calls through every variant of a function, the same requests to every server.
//!
//! In: a project whose rows are built ([`Check::plan`]), or two addresses ([`Check::addresses`]). Out: a [`Report`]. A
//! [`Comparison`] decides what is alike, with the rules of `tierup-parity` and the project's normalizer; benchmarks use it
//! as well.

mod asked;
mod budget;
mod caller;
mod case;
mod check;
mod comparison;
mod effects;
mod found;
mod functions;
mod headers;
mod html;
mod inputs;
mod json;
mod kept;
mod least;
mod masked;
mod meanings;
mod mismatch;
mod planned;
mod questions;
mod report;
mod servers;
mod service;
mod statuses;
mod text;
mod without_secrets;

pub use asked::Asked;
pub use caller::outcome;
pub use check::{Check, OfAddresses, Only};
pub use comparison::Comparison;
pub use headers::HeaderReport;
pub use kept::keep;
pub use planned::{HostRows, Planned};
pub use report::{Detail, Mismatch, NoiseReport, Part, Report, RowReport};
pub use service::service;
pub use statuses::Statuses;
pub use text::statuses as statuses_text;
