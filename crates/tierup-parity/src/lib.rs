//! Inputs that find differences between tiers, and the words for what was found.
//!
//! In: an interface. Out: arguments to call its functions with, and [`Outcome`]s to compare. Nothing here calls
//! anything: that is the driver's work.

mod edges;
mod outcome;

pub use edges::{edge_arguments, edges};
pub use outcome::Outcome;
