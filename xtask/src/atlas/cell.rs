//! A cell of the grid: what Rust gains for one function in one host. In: the reports of its sizes. Out: [`Cell`].
//!
//! At each size, the fastest row in Rust is compared with the fastest library without Rust, block by block. As the two are
//! chosen after the fact, the confidence of 95 % is shared by all pairs of such rows at all three sizes: then the
//! intervals of a cell hold together, whichever pair was chosen.

use std::collections::BTreeMap;

use tierup_stats::{Better, Blocks, Confidence, Threshold, Verdict};

use super::{
    about::Size,
    report::{Report, Row},
};

/// What was measured for a function in a host.
pub(super) struct Cell {
    pub(super) sizes: BTreeMap<Size, Gain>,
}

/// The gain at one size.
pub(super) struct Gain {
    /// The fastest row in Rust.
    pub(super) tier: String,
    /// The fastest row without Rust.
    pub(super) library: String,
    /// The library's time divided by the tier's.
    pub(super) value: f64,
    /// `None` if there was only one block.
    pub(super) interval: Option<(f64, f64)>,
    pub(super) verdict: Verdict,
    /// The share of a call at that tier that is not the function itself.
    pub(super) crossing: f64,
    /// Seconds of a call.
    pub(super) tier_seconds: f64,
    pub(super) library_seconds: f64,
    pub(super) report: Report,
}

/// Whether Rust pays in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    NotMeasured,
    /// At this size, and at all larger ones that were measured.
    PaysFrom(Size),
    /// At these sizes, but not, or not certainly, at a larger one.
    PaysAt(Vec<Size>),
    /// A loss, or less than the threshold, at all sizes that were measured.
    DoesNotPay,
    CannotTell,
}

impl Cell {
    pub(super) fn outcome(&self) -> Outcome {
        let verdicts: Vec<(Size, Verdict)> = self.sizes.iter().map(|(size, gain)| (*size, gain.verdict)).collect();
        outcome(&verdicts)
    }

    /// The gain that stands for the cell: that of the largest size that was measured.
    pub(super) fn largest(&self) -> Option<&Gain> {
        self.sizes.values().next_back()
    }
}

/// In the order of sizes.
fn outcome(verdicts: &[(Size, Verdict)]) -> Outcome {
    let pays = |(_, verdict): &&(Size, Verdict)| *verdict == Verdict::Pays;
    let at_the_end = verdicts.iter().rev().take_while(pays).count();
    match (verdicts.iter().filter(pays).count(), verdicts.len() - at_the_end) {
        _ if verdicts.is_empty() => Outcome::NotMeasured,
        (0, _) if verdicts.iter().any(|(_, verdict)| *verdict == Verdict::CannotTell) => Outcome::CannotTell,
        (0, _) => Outcome::DoesNotPay,
        (all, first) if all == at_the_end => Outcome::PaysFrom(verdicts[first].0),
        _ => Outcome::PaysAt(verdicts.iter().filter(pays).map(|(size, _)| *size).collect()),
    }
}

impl Gain {
    /// # Errors
    /// The report lacks a row in Rust or one without, or they have no blocks in common.
    pub(super) fn new(report: Report) -> Result<Gain, String> {
        let (libraries, tiers): (Vec<&Row>, Vec<&Row>) = report.rows.iter().partition(|row| row.is_library());
        let fastest =
            |rows: &[&Row]| rows.iter().min_by(|one, other| one.seconds.total_cmp(&other.seconds)).copied().cloned();
        let pairs = libraries.len() * tiers.len() * Size::ALL.len();
        let library = fastest(&libraries).ok_or("it has no row without Rust")?;
        let tier = fastest(&tiers).ok_or("it has no row in Rust")?;
        let blocks = Blocks { candidate: &tier.blocks, control: &library.blocks };
        let confidence = Confidence::default().shared_by(u32::try_from(pairs).unwrap_or(u32::MAX));
        let ratio = blocks.ratio(confidence).map_err(|error| error.to_string())?;
        Ok(Gain {
            value: 1.0 / ratio.value(),
            interval: ratio.interval().map(|interval| (1.0 / interval.high, 1.0 / interval.low)),
            verdict: Threshold::default().finding(&ratio, Better::Lower).verdict(),
            // A crossing that costs less than what chance moves the times by may seem to cost less than nothing.
            crossing: (tier.crossing / tier.seconds).max(0.0),
            tier_seconds: tier.seconds,
            library_seconds: library.seconds,
            tier: tier.label,
            library: library.label,
            report,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(rows: &[(&str, [f64; 3])]) -> Report {
        let busyness = json!({ "others": 0.0, "stolen": 0.0 });
        let figures = rows.iter().map(|(_, blocks)| {
            let seconds = json!({ "value": blocks[0] });
            json!({ "blocks": blocks, "seconds": seconds, "over_alone": { "value": blocks[0] / 4.0 } })
        });
        let text = json!({
            "began": "2026-11-30T10:00:00Z", "interrupted": false, "settings": { "quick": false },
            "environment": {
                "processor": "P", "processors": 2.0, "kernel": "K", "versions": [], "before": busyness, "after": busyness,
            },
            "rows": rows.iter().map(|(label, _)| json!({ "label": label })).collect::<Vec<_>>(),
            "functions": [{ "name": "f", "rows": rows.iter().map(|_| json!({})).collect::<Vec<_>>() }],
            "figures": { "functions": [{ "rows": figures.collect::<Vec<_>>() }] },
        });
        Report::read(&text.to_string()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_fastest_tier_is_compared_with_the_fastest_library() {
        let rows = [
            ("0", [8.0, 8.1, 7.9]),
            ("0:c", [4.0, 4.01, 3.99]),
            ("1:pool", [5.0, 5.0, 5.0]),
            ("3:native", [2.0, 2.0, 2.0]),
        ];
        let gain = Gain::new(report(&rows)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((gain.tier.as_str(), gain.library.as_str()), ("3:native", "0:c"));
        assert!((gain.value - 2.0).abs() < 0.01 && (gain.crossing - 0.25).abs() < 1e-9, "{}", gain.value);
        let (low, high) = gain.interval.unwrap_or_default();
        assert!(1.9 < low && low < gain.value && gain.value < high && high < 2.1, "{low} {high}");
        assert_eq!(gain.verdict, Verdict::Pays);
    }

    #[test]
    fn without_a_library_there_is_no_gain() {
        let error = Gain::new(report(&[("3:native", [1.0; 3])])).err();
        assert_eq!(error.as_deref(), Some("it has no row without Rust"));
    }

    #[test]
    fn a_cell_pays_from_the_smallest_size_after_which_all_pay() {
        use Verdict::{CannotTell, DoesNotPay, NoDifference, Pays};
        let check =
            |verdicts: &[Verdict]| outcome(&Size::ALL.into_iter().zip(verdicts.iter().copied()).collect::<Vec<_>>());
        assert_eq!(check(&[]), Outcome::NotMeasured);
        assert_eq!(check(&[Pays, Pays, Pays]), Outcome::PaysFrom(Size::Small));
        assert_eq!(check(&[DoesNotPay, CannotTell, Pays]), Outcome::PaysFrom(Size::Large));
        assert_eq!(check(&[Pays, DoesNotPay, NoDifference]), Outcome::PaysAt(vec![Size::Small]));
        assert_eq!(check(&[DoesNotPay, NoDifference]), Outcome::DoesNotPay);
        assert_eq!(check(&[DoesNotPay, CannotTell]), Outcome::CannotTell);
    }
}
