//! When two JSON numbers are the same.

use crate::comparator::{JsonRules, Numbers, Tolerance};
use crate::json::Decimal;
use crate::location::Location;

/// Whether two numbers, as they are written, are alike at this place.
pub(super) fn alike(control: &str, candidate: &str, location: &Location, rules: &JsonRules) -> bool {
    control == candidate
        || rules.numbers == Numbers::Value && same_value(control, candidate)
        || tolerance(control, candidate, location, rules).is_some_and(|it| within(control, candidate, it))
}

/// Whether two numbers have the same value, however they are written.
pub(super) fn same_value(control: &str, candidate: &str) -> bool {
    matches!((Decimal::parse(control), Decimal::parse(candidate)), (Some(one), Some(other)) if one == other)
}

fn tolerance(control: &str, candidate: &str, location: &Location, rules: &JsonRules) -> Option<Tolerance> {
    let at_path = rules.tolerances.iter().rev().find(|(path, _)| path.matches(location));
    let is_float = |number: &str| number.contains(['.', 'e', 'E']);
    match at_path {
        Some((_, tolerance)) => Some(*tolerance),
        None => rules.tolerance.filter(|_| is_float(control) || is_float(candidate)),
    }
}

fn within(control: &str, candidate: &str, tolerance: Tolerance) -> bool {
    let (Ok(control), Ok(candidate)) = (control.parse::<f64>(), candidate.parse::<f64>()) else { return false };
    // Numbers beyond f64 are infinite here, and their distance is not a number: they are within no tolerance.
    let allowed = tolerance.absolute.max(tolerance.relative * control.abs().max(candidate.abs()));
    control.is_finite() && candidate.is_finite() && (control - candidate).abs() <= allowed
}
