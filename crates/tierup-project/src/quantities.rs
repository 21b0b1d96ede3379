//! Quantities that users write in tierup.toml and on the command line. In: a text. Out: the quantity, or a description
//! of a valid text.

use std::time::Duration;

/// A time such as `90s`, `1m30s` or `500ms`; a plain number is seconds, as in load generators.
///
/// # Errors
/// A description of a valid time.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = match seconds {
        Some(duration) => duration,
        None => humantime::parse_duration(text).map_err(|error| format!("{error}; give e.g. `90s` or `5m`"))?,
    };
    if duration.is_zero() || duration > Duration::from_secs(7 * 24 * 3600) {
        return Err("must be a time above 0 and at most a week, e.g. `90s` or `5m`".to_owned());
    }
    Ok(duration)
}

/// A finite number above 0.
///
/// # Errors
/// A description of a valid number.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "must be a number above 0".to_owned())
}

/// A finite number of at least 0.
///
/// # Errors
/// A description of a valid number.
pub fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "must be a number of 0 or more".to_owned())
}

/// The smallest gain that counts: a finite factor above 1.
///
/// # Errors
/// A description of a valid factor.
pub fn threshold(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 1.0);
    number.ok_or_else(|| "must be a factor above 1, e.g. 1.05 for 5 %".to_owned())
}

/// The exponent of a skew: from 0, where all requests are equally frequent, to 5, where the first makes 96 %.
///
/// # Errors
/// A description of a valid exponent.
pub fn skew(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=5.0).contains(number));
    number.ok_or_else(|| "must be a number from 0 to 5, e.g. 0.8".to_owned())
}
