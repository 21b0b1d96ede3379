//! Why there is no record of a run.

use crate::record::Trouble;

/// What keeps a whole run from being done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no request to send")]
    NoRequests,
    #[error("none of the {count} requests gets a successful answer: {reference} answers {first}")]
    AllRefused { reference: String, count: usize, first: String },
    #[error("no row could be measured: {row}: {}", trouble.what)]
    NothingRuns { row: String, trouble: Trouble },
    #[error("interrupted before anything was measured")]
    Interrupted,
}
