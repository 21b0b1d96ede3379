//! What a series of measurements shows, and with what confidence.
//!
//! In: numbers. Out: numbers and judgements. No input or output, no clock, no randomness: the same numbers always give
//! the same answer. `docs/method.md` describes the whole method; each file here names the source of its formula.
//!
//! A row of a benchmark is compared with the control like this:
//!
//! ```
//! use tierup_stats::{Better, Blocks, Confidence, Threshold, Verdict};
//!
//! // One number per block: the mean over the block's slices, here in requests per second.
//! let blocks = Blocks { candidate: &[1510.0, 1483.0, 1532.0, 1498.0, 1520.0], control: &[702.0, 690.0, 711.0, 688.0, 705.0] };
//! let ratio = blocks.ratio(Confidence::default().shared_by(6))?;
//! assert!((ratio.value() - 2.158).abs() < 0.001);
//! assert_eq!(Threshold::default().finding(&ratio, Better::Higher).verdict(), Verdict::Pays);
//! # Ok::<(), tierup_stats::Error>(())
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod allocation;
mod error;
mod evidence;
mod interval;
mod paired;
mod quantiles;
mod steadiness;
mod student;
mod verdict;
mod warm_up;

pub use allocation::{Progress, share_of_time};
pub use error::Error;
pub use evidence::{Block, Margin, OriginEvidence, Side, Sign, SlownessEvidence, least_answers, ln_e_value_of_leads};
pub use interval::{Confidence, Estimate, Interval, mean, mean_estimate, positive_mean_estimate};
pub use paired::{Blocks, Ratio};
pub use quantiles::{median, quantile};
pub use steadiness::{Doubt, Limits, Steadiness, steadiness, trend};
pub use student::two_sided_t;
pub use verdict::{Better, Finding, Threshold, Verdict};
pub use warm_up::has_settled;
