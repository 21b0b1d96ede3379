//! What several targets assert. A target is a file in `targets/`, and its seeds lie in `seeds/` under its name.

#[path = "../../crates/tierup-parity/tests/memory/allocations.rs"]
mod allocations;
mod profiles;
mod requests;

pub use profiles::check_profile;
pub use requests::check_requests;

/// What this work returns, and the most bytes that its thread had in addition at one time.
pub fn most_taken<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let (result, taken) = allocations::taken(work);
    (result, taken.most)
}
