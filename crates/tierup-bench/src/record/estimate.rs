//! What was said of a function before anything was measured, to be shown beside the measured limit.

use serde::{Deserialize, Serialize};

/// How many times less CPU a request takes without the function, by somebody's arithmetic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The group of rows that it is of.
    pub group: String,
    pub function: String,
    /// Who said it: `the profile`.
    pub by: String,
    /// In words: `about 2.9x by its own time [2.3, 3.9]`.
    pub words: String,
    /// `None` if it said no number.
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
}
