//! Compares two bodies. In: bytes and rules. Out: [`Differences`].

mod bytes;
mod canonical;
mod downstream;
mod json;
mod numbers;
mod strings;
mod text;
mod unordered;

pub(crate) use self::bytes::compare as exact;
pub(crate) use self::downstream::downstream;
pub use self::downstream::is_same_call;
pub(crate) use self::json::compare as json;
pub(crate) use self::text::compare as text;
