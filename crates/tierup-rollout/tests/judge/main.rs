//! What a judge decides in single situations, and with what reasons. How often it is right: `simulated_ramps.rs`.

mod at_once;
mod bad_answers;
mod breakdown;
mod mismatches;
mod outage;
mod situation;
mod slowness;
mod steps;
