//! Compares each row with Rust with the best row without it. In: a group whose function was also tuned in its own
//! language. Out: the comparisons, paired within blocks.
//!
//! Which row is best is itself a measurement, and the row that looks best was usually lucky too: a comparison in the
//! same blocks would ask Rust to beat that luck. So **each block is compared with the row that is best by all other
//! blocks**, and the choice and the comparison share no measurement (cross-validation; Stone 1974).

use tierup_stats::{Better, Confidence, Ratio, Threshold};

use super::{
    cells::ratio,
    marks::{cannot_carry, did_not_carry},
    result::{Against, Analysis, Figure, Group, Times},
};
use crate::record::{Record, Role};

/// Compares each row with Rust of a group, if the group has a row without Rust besides the reference.
pub(super) fn compare(record: &Record, analysis: &mut Analysis, group: usize) {
    let group = &analysis.groups[group];
    let Some(chosen) = chosen(record, analysis, group) else { return };
    let is_with_rust = |row: &usize| matches!(record.rows[*row].role, Role::Candidate | Role::Implementation);
    let with_rust: Vec<usize> = group.rows.iter().copied().filter(is_with_rust).collect();
    // One interval decides on each row, and this one replaces the interval against the reference.
    let confidence = Confidence::default().shared_by(group.rows.len().saturating_sub(1).max(1) as u32);
    let threshold = Threshold::new(record.settings.threshold).unwrap_or_default();
    let compared: Vec<(usize, Against)> = with_rust
        .into_iter()
        .map(|row| {
            let times = |figure: Figure, better: Better| {
                let mine = &analysis.cell(row, figure)?.blocks;
                let other = |(block, control): (usize, &usize)| *analysis.cell(*control, figure)?.blocks.get(block)?;
                let others: Vec<Option<f64>> = chosen.iter().enumerate().map(other).collect();
                let ratio = ratio(mine, &others, confidence)?;
                let measured: Vec<f64> = others.into_iter().flatten().collect();
                Some(Times {
                    ratio: ratio.value(),
                    interval: Ratio::interval(&ratio).map(|ends| (ends.low, ends.high)),
                    other: tierup_stats::positive_mean_estimate(&measured, Confidence::default()).ok()?.value,
                    finding: threshold.finding(&ratio, better),
                })
            };
            let throughput = times(Figure::Throughput, Better::Higher);
            let cpu_per_request = times(Figure::CpuPerRequest, Better::Lower);
            (row, Against { rows: distinct(&chosen), throughput, cpu_per_request })
        })
        .collect();
    for (row, against) in compared {
        analysis.rows[row].against = Some(against);
    }
}

/// For each block, the row without Rust that is best by all other blocks. `None` if that is always the reference, as
/// all rows are compared with it anyway.
fn chosen(record: &Record, analysis: &Analysis, group: &Group) -> Option<Vec<usize>> {
    let reference = group.reference;
    // Rows without Rust are unknown if rows are not tiers (servers of others), or if the reference itself is a tier.
    let without = |row: &usize| *row == reference || record.rows[*row].role == Role::Alternative;
    let carries = |row: &usize| cannot_carry(record, *row).is_none() || did_not_carry(record, reference).is_some();
    let sound = |row: &usize| {
        let analysed = &analysis.rows[*row];
        !analysed.failed() && !analysed.is_flattered() && record.rows[*row].step == 0
    };
    let rows: Vec<usize> =
        group.rows.iter().copied().filter(|row| without(row) && sound(row) && carries(row)).collect();
    if rows.len() < 2 || !rows.contains(&reference) {
        return None;
    }
    let blocks = |row: usize, figure| analysis.cell(row, figure).map_or(&[][..], |cell| &cell.blocks);
    let measured = |figure: Figure| rows.iter().all(|row| blocks(*row, figure).iter().any(Option::is_some));
    let by = if measured(Figure::CpuPerRequest) { Figure::CpuPerRequest } else { Figure::Throughput };
    let sign = if by == Figure::Throughput { -1.0 } else { 1.0 };
    // The logarithm of each row's cost in a block, if all rows were measured in it.
    let costs: Vec<Option<Vec<f64>>> = (0..record.blocks.len())
        .map(|block| {
            let cost = |row: &usize| Some(sign * blocks(*row, by).get(block).copied()??.ln());
            rows.iter().map(cost).collect()
        })
        .collect();
    let best_without = |left_out: usize| {
        let others = costs.iter().enumerate().filter(|(block, _)| *block != left_out || costs.len() == 1);
        let others: Vec<&Vec<f64>> = others.filter_map(|(_, costs)| costs.as_ref()).collect();
        let sum = |place: usize| others.iter().map(|costs| costs[place]).sum::<f64>();
        let best = (0..rows.len()).min_by(|one, other| sum(*one).total_cmp(&sum(*other)));
        best.filter(|_| !others.is_empty()).map_or(reference, |place| rows[place])
    };
    let chosen: Vec<usize> = (0..costs.len()).map(best_without).collect();
    chosen.iter().any(|row| *row != reference).then_some(chosen)
}

/// The distinct rows, the most frequent first.
fn distinct(rows: &[usize]) -> Vec<usize> {
    let mut all = rows.to_vec();
    let times = |row: usize| rows.iter().filter(|one| **one == row).count();
    all.sort_by_key(|row| (std::cmp::Reverse(times(*row)), *row));
    all.dedup();
    all
}
