//! What several targets assert. A target is a file in `targets/`, and its seeds lie in `seeds/` under its name.

mod allocations;
mod profiles;
mod requests;

pub use allocations::most_taken;
pub use profiles::check_profile;
pub use requests::check_requests;
