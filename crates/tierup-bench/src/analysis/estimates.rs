//! Compares estimates with measurements. In: a [`Record`] with estimates, and the analysis of its limit. Out: for each
//! estimate, a sentence with both figures and the reason why they differ.

use tierup_report::{numbers::compared, printable};

use super::result::{Analysis, Figure};
use crate::record::{Estimate, Record};

/// If an estimate is further off than this factor, it does not agree, however wide the intervals are.
const FAR: f64 = 1.5;
/// An estimate without an interval agrees with the measurement if it is within this factor.
const ALIKE: f64 = 1.15;

/// The sentences for the group of this limit, each preceded by a space.
pub(super) fn beside(record: &Record, analysis: &Analysis, ceiling: usize, control: &str) -> String {
    let group = &analysis.rows[ceiling].group;
    let estimates = record.provenance.estimates.iter().filter(|estimate| estimate.group == *group);
    let cell = analysis.cell(ceiling, Figure::CpuPerRequest);
    // By what factor the CPU falls.
    let measured = cell.and_then(|cell| {
        let ends = cell.ratio_interval.map(|(low, high)| (1.0 / high, 1.0 / low));
        Some((1.0 / cell.ratio?, ends))
    });
    estimates.map(|estimate| format!(" {}", sentence(estimate, measured, control))).collect()
}

fn sentence(estimate: &Estimate, measured: Option<(f64, Option<(f64, f64)>)>, control: &str) -> String {
    let Estimate { function, by, words, value, interval, .. } = estimate;
    let said = format!("For {}, {by} said: {}.", printable::line(function), printable::line(words));
    let Some((measured, within)) = measured else { return format!("{said} CPU could not be measured here.") };
    let here =
        format!("measured, one request of {control} takes {}", compared(measured, within, "CPU", "one without it"));
    let Some(value) = value else { return format!("{said} Now {here}.") };
    let (low, high) = interval.unwrap_or((value / ALIKE, value * ALIKE));
    let (least, most) = within.unwrap_or((measured, measured));
    let why = if least > high {
        "That is more, as the function's garbage, its compilation and its pauses are in other rows of a profile, and go \
         away with it."
    } else if most < low {
        "That is less: it takes time to look up the answers that are replayed, and a profile of a busy machine can count too \
         much to a function."
    } else if (1.0 / FAR..FAR).contains(&(measured / value)) {
        "Both agree."
    } else {
        "The intervals are too wide to tell whether they differ: measure for longer, on a quiet machine."
    };
    format!("{said} Now {here}. {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Option<f64>, measured: (f64, Option<(f64, f64)>), expected: &str) {
        let estimate = Estimate {
            group: String::new(),
            function: "price".into(),
            by: "the profile".into(),
            words: "about 3.0x".into(),
            value,
            interval: value.map(|value| (value - 0.5, value + 0.5)),
        };
        let found = sentence(&estimate, Some(measured), "0");
        assert!(found.starts_with("For price, the profile said: about 3.0x. Now measured, one request of 0 takes "));
        assert!(found.ends_with(expected), "{found}");
    }

    #[test]
    fn a_difference_has_a_reason() {
        check(Some(3.0), (12.0, Some((11.0, 13.0))), "are in other rows of a profile, and go away with it.");
        check(Some(3.0), (3.8, Some((3.2, 4.4))), "[3.20, 4.40]. Both agree.");
        check(Some(3.0), (1.2, Some((1.1, 1.3))), "can count too much to a function.");
        check(Some(3.0), (38.0, Some((1.0, 900.0))), "measure for longer, on a quiet machine.");
        check(None, (1.2, None), "1.20 times the CPU of one without it.");
    }
}
