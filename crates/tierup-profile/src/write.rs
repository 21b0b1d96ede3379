//! Profiles in formats that other tools read. In: a [`Profile`](crate::Profile). Out: text.

mod collapsed;
mod speedscope;

pub use collapsed::collapsed;
pub use speedscope::speedscope;
