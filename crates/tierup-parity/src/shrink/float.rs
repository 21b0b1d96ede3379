//! Floats that are easier to read and think about than a given one.

/// Finite rather than not, then shorter to write, then nearer to 0, then positive.
pub(super) fn smaller_floats(number: f64) -> Vec<f64> {
    let tenths = (number * 10.0).round() / 10.0;
    let mut all = vec![0.0, 1.0, -number, number.trunc(), (number / 2.0).trunc(), tenths, number - number.signum()];
    all.retain(|other| weight(*other) < weight(number));
    let mut distinct: Vec<f64> = Vec::new();
    for smaller in all {
        if !distinct.iter().any(|other| other.to_bits() == smaller.to_bits()) {
            distinct.push(smaller);
        }
    }
    distinct
}

/// How hard a float is to think about. Except for NaNs, floats that are not equal have different weights.
fn weight(number: f64) -> (bool, usize, f64, bool) {
    let length = if number.is_finite() { number.abs().to_string().len() } else { 0 };
    (!number.is_finite(), length, if number.is_nan() { f64::INFINITY } else { number.abs() }, number.is_sign_negative())
}
