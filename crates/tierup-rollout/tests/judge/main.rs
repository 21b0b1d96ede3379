//! What a judge decides in single situations, and with what reasons. `simulated_ramps.rs` tests how often it is right.

mod at_once;
mod bad_answers;
mod breakdown;
mod mismatches;
mod outage;
mod situation;
mod slowness;
mod steps;
