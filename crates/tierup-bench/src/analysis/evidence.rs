//! The evidence on a row, and the verdict that follows from it. In: an analysis whose cells are known. Out: the
//! evidence of one row.
//!
//! One measure decides, chosen before anything is measured: the server's CPU per request, which noise moves least.
//! Throughput decides only if CPU is not known, as for a server whose process is not known. Taking the better one of
//! the two would find differences that do not exist. Throughput can contradict CPU, though: a row that costs less CPU
//! and carries less is neither better nor worse. A contradiction can only take a "pays" away, so it needs no correction
//! of its own (an intersection-union test; Berger 1982).

use tierup_stats::Finding;

use super::{
    marks::{cannot_carry, did_not_carry, generator_bound},
    result::{Analysis, Figure, Verdict},
};
use crate::record::{Record, Role};

/// A row's figure and the same figure of the row that it is compared with: the reference, or the best row without Rust.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) ratio: f64,
    pub(super) ends: Option<(f64, f64)>,
    pub(super) finding: Finding,
    /// The other row's figure.
    pub(super) other: Option<f64>,
}

/// `None` if there is nothing to compare.
pub(super) fn beside(analysis: &Analysis, (row, reference): (usize, usize), figure: Figure) -> Option<Beside> {
    if let Some(against) = &analysis.rows[row].against
        && matches!(figure, Figure::Throughput | Figure::CpuPerRequest)
    {
        let times = against.times(figure)?;
        let (ratio, ends, finding, other) = (times.ratio, times.interval, times.finding, Some(times.other));
        return Some(Beside { ratio, ends, finding, other });
    }
    let cell = analysis.cell(row, figure)?;
    let other = analysis.cell(reference, figure).and_then(|cell| cell.value);
    Some(Beside { ratio: cell.ratio?, ends: cell.ratio_interval, finding: cell.finding?, other })
}

/// The rows that a row is compared with for its verdict.
pub(super) fn judged_by(analysis: &Analysis, row: usize, reference: usize) -> Vec<usize> {
    analysis.rows[row].against.as_ref().map_or_else(|| vec![reference], |against| against.rows.clone())
}

/// The basis of a verdict.
pub(super) enum Evidence {
    /// The row itself failed.
    Failed,
    /// The reference failed, so there is nothing sound to compare with.
    ReferenceFailed,
    Compared(Compared),
}

pub(super) struct Compared {
    /// The figure that decides.
    pub(super) by: Figure,
    pub(super) finding: Finding,
    /// The finding of throughput, if another figure decides and the load generator was not the limit.
    pub(super) throughput: Option<Finding>,
    /// The rate that the reference carries and the row does not.
    pub(super) cannot_carry: Option<f64>,
}

/// The figure that decides on a row: CPU per request if both rows have it, else throughput.
pub(super) fn deciding(analysis: &Analysis, row: usize) -> Figure {
    let known = analysis.cell(row, Figure::CpuPerRequest).is_some_and(|cell| cell.ratio.is_some());
    if known { Figure::CpuPerRequest } else { Figure::Throughput }
}

impl Evidence {
    pub(super) fn gather(record: &Record, analysis: &Analysis, row: usize, reference: usize) -> Evidence {
        if analysis.rows[row].failed() {
            return Evidence::Failed;
        }
        if analysis.rows[reference].failed() {
            return Evidence::ReferenceFailed;
        }
        // If the generator was the limit, the row may be better than measured, by an unknown factor.
        let bound = std::iter::once(row).chain(judged_by(analysis, row, reference));
        let bound = bound.into_iter().any(|row| generator_bound(record, row));
        let finding = |figure| beside(analysis, (row, reference), figure).map(|beside| beside.finding);
        let throughput = finding(Figure::Throughput).filter(|_| !bound);
        let by = deciding(analysis, row);
        let (finding, throughput) = match by {
            Figure::CpuPerRequest => (finding(by), throughput),
            _ => (throughput, None),
        };
        // "Cannot carry" has no interval, so chance could decide it. Two commits are equal too often to take that risk.
        let counts = record.rows[row].role != Role::Revision && did_not_carry(record, reference).is_none();
        let cannot_carry = cannot_carry(record, row).filter(|_| counts);
        Evidence::Compared(Compared { by, finding: finding.unwrap_or(Finding::Unknown), throughput, cannot_carry })
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Evidence::Failed => Verdict::Failed,
            Evidence::ReferenceFailed => Verdict::CannotTell,
            Evidence::Compared(compared) => compared.verdict(),
        }
    }
}

impl Compared {
    fn verdict(&self) -> Verdict {
        use Finding::{Ahead, Behind, Better, NoDifference, Worse};
        match (self.finding, self.throughput) {
            (Better, _) if self.cannot_carry.is_some() => Verdict::Mixed,
            _ if self.cannot_carry.is_some() => Verdict::DoesNotPay,
            (Better, Some(Worse | Behind)) | (Worse | Behind, Some(Better | Ahead)) => Verdict::Mixed,
            (NoDifference, Some(Better | Worse)) => Verdict::Mixed,
            (finding, _) => match finding.verdict() {
                tierup_stats::Verdict::Pays => Verdict::Pays,
                tierup_stats::Verdict::NoDifference => Verdict::NoDifference,
                tierup_stats::Verdict::DoesNotPay => Verdict::DoesNotPay,
                tierup_stats::Verdict::CannotTell => Verdict::CannotTell,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(finding: Finding, throughput: Option<Finding>) -> Verdict {
        Compared { by: Figure::CpuPerRequest, finding, throughput, cannot_carry: None }.verdict()
    }

    #[test]
    fn one_measure_decides_unless_the_other_contradicts_it() {
        use Finding::*;
        // CPU decides however noisy throughput is, such as in a short run of the same row twice.
        for noisy in
            [None, Some(Unknown), Some(NotWorse), Some(NotBetter), Some(Ahead), Some(Behind), Some(NoDifference)]
        {
            assert_eq!(verdict(NoDifference, noisy), Verdict::NoDifference, "{noisy:?}");
            assert_eq!(verdict(NotBetter, noisy), Verdict::CannotTell, "{noisy:?}");
        }
        for other in [None, Some(Better), Some(Unknown), Some(NoDifference), Some(NotBetter)] {
            assert_eq!(verdict(Better, other), Verdict::Pays, "{other:?}");
        }
        for other in [None, Some(Worse), Some(Unknown), Some(NoDifference), Some(NotWorse)] {
            assert_eq!(verdict(Worse, other), Verdict::DoesNotPay, "{other:?}");
            assert_eq!(verdict(Behind, other), Verdict::DoesNotPay, "{other:?}");
        }
        assert_eq!(verdict(Better, Some(Worse)), Verdict::Mixed);
        assert_eq!(verdict(Better, Some(Behind)), Verdict::Mixed);
        assert_eq!(verdict(Worse, Some(Better)), Verdict::Mixed);
        assert_eq!(verdict(NoDifference, Some(Better)), Verdict::Mixed);
        // Throughput alone does not decide.
        assert_eq!(verdict(Unknown, Some(Better)), Verdict::CannotTell);
        assert_eq!(verdict(Unknown, Some(Worse)), Verdict::CannotTell);
    }

    #[test]
    fn a_row_that_cannot_carry_the_traffic_never_pays() {
        let verdict = |finding| {
            Compared { by: Figure::CpuPerRequest, finding, throughput: None, cannot_carry: Some(350.0) }.verdict()
        };
        assert_eq!(verdict(Finding::Better), Verdict::Mixed);
        assert_eq!(verdict(Finding::NoDifference), Verdict::DoesNotPay);
        assert_eq!(verdict(Finding::Unknown), Verdict::DoesNotPay);
    }
}
