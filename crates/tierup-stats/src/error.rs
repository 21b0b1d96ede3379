//! Errors: why a function of this crate refused its numbers.

/// Numbers that a function of this crate refuses. Nothing is repaired or left out silently.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("there are no values to compute from")]
    Empty,
    #[error("value {place} (counted from 0) is {value}, which is not a finite number")]
    NotFinite { place: usize, value: f64 },
    #[error("value {place} (counted from 0) of the {row} is {value}: a ratio needs values above 0")]
    NotPositive { row: &'static str, place: usize, value: f64 },
    #[error(
        "the candidate has {candidate} blocks and the control {control}: leave out a block for both or for neither"
    )]
    Unpaired { candidate: usize, control: usize },
    #[error("a probability lies between 0 and 1, and this is {0}: the 95th percentile is 0.95")]
    Probability(f64),
    #[error("a confidence level lies between 0 and 1, both excluded, and this is {0}: 95 % is 0.95")]
    Level(f64),
    #[error("a threshold is a factor above 1, and this is {0}: 1.05 asks for a gain of 5 %")]
    Threshold(f64),
    #[error("{what} is {value}, and must be above 0")]
    NotAboveZero { what: &'static str, value: f64 },
    #[error("row {place} (counted from 0) has the half-width {value}, and must have a finite one, 0 or above")]
    HalfWidth { place: usize, value: f64 },
    #[error("a floor is a part of an equal share, 0 to 1, and this is {0}")]
    Floor(f64),
    #[error("a margin is a ratio of at least 1, and this is {0}: 1.25 tolerates a quarter more")]
    Margin(f64),
    #[error("{part} of {all} cannot be: a part is larger than its whole")]
    MoreThanAll { part: u64, all: u64 },
}

/// Refuses an empty slice, and values that are infinite or not a number.
pub(crate) fn check_samples(samples: &[f64]) -> Result<(), Error> {
    if samples.is_empty() {
        return Err(Error::Empty);
    }
    match samples.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(Error::NotFinite { place, value: samples[place] }),
        None => Ok(()),
    }
}

/// Returns the value if it is above 0 and finite.
pub(crate) fn above_zero(what: &'static str, value: f64) -> Result<f64, Error> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(Error::NotAboveZero { what, value }) }
}
