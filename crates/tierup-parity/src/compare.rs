//! Compares two bodies. In: bytes and rules. Out: [`Differences`].

mod bytes;
mod downstream;
mod json;
mod text;

pub(crate) use self::downstream::downstream;
pub use self::downstream::is_same_call;
use crate::comparator::Comparator;
use crate::difference::Differences;

impl Comparator {
    /// Where two bodies differ. `Status` finds nothing. `Normalized` compares byte by byte: pass it the output of the
    /// command for each body.
    pub fn differences(&self, control: &[u8], candidate: &[u8]) -> Differences {
        match self {
            Comparator::Status => Differences::default(),
            Comparator::Exact | Comparator::Normalized(_) => bytes::compare(control, candidate),
            Comparator::Text(rules) => text::compare(control, candidate, *rules),
            Comparator::Json(rules) => json::compare(control, candidate, rules),
        }
    }
}
