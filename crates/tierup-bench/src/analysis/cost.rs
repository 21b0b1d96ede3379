//! What a row costs a month at the user's own peak. In: its CPU per request, the CPU and memory that it used, and the
//! user's prices. Out: each row's [`RowCost`](super::RowCost), and sentences about it.

use tierup_report::numbers;

use super::{
    marks::generator_bound,
    pods::{HOURS_A_MONTH, Ranged, RowCost, Use},
    result::{Analysis, Figure},
};
use crate::record::{Cost, Loop, Record, Slice};

/// For each row, where it was measured soundly; nothing where the user named no prices.
pub(super) fn fill(record: &Record, analysis: &mut Analysis) {
    let Some(cost) = &record.settings.cost else { return };
    for row in 0..analysis.rows.len() {
        analysis.rows[row].cost = of_row(record, cost, analysis, row);
    }
}

fn of_row(record: &Record, cost: &Cost, analysis: &Analysis, row: usize) -> Option<RowCost> {
    if analysis.rows[row].failed() {
        return None;
    }
    let cpu = analysis.cell(row, Figure::CpuPerRequest)?;
    let use_of_server = Use {
        microseconds: Ranged { value: cpu.value?, interval: cpu.interval },
        bytes: analysis.cell(row, Figure::Memory).and_then(|cell| cell.value),
        vcpus: most_vcpus(record, row),
    };
    Some(cost.of(use_of_server))
}

/// The most processors that the row's server used in a slice of the closed loop; `None` where the load generator was the
/// limit. A server that waits (for a database, or for more connections) may use less than one processor here and more in
/// production, so it counts as one at least.
fn most_vcpus(record: &Record, row: usize) -> Option<f64> {
    if generator_bound(record, row) {
        return None;
    }
    let used = |slice: &Slice| {
        let each = slice.server_cpu? / slice.answered as f64;
        Some(slice.throughput() * each / 1e6).filter(|vcpus| vcpus.is_finite())
    };
    record.slices(row, Loop::Closed).filter_map(used).reduce(f64::max).map(|most| most.max(1.0))
}

impl Cost {
    /// An amount of money: `1,234 EUR`, `9.50 EUR`.
    pub(crate) fn money(&self, amount: f64) -> String {
        format!("{} {}", numbers::money(amount), self.currency)
    }
}

/// How money was computed, in a sentence or two.
pub(super) fn method(cost: &Cost) -> String {
    format!(
        "Money: vCPUs = {} requests a second at the peak × CPU per request ÷ {} utilisation; whole pods of {} vCPU and {} \
         GiB, each server in as many as hold its memory as measured, {} servers at least; {} an hour a vCPU and {} a GiB, \
         {HOURS_A_MONTH} hours a month. A vCPU is taken to be as fast as a processor of this machine. A server is taken to \
         use at most as many vCPUs as it did in the closed loop, or one.",
        numbers::rate(cost.peak),
        numbers::share(cost.utilisation),
        numbers::plain(cost.pod_vcpus),
        numbers::plain(cost.pod_gib),
        cost.least_pods,
        price(cost, cost.vcpu_hour),
        price(cost, cost.gib_hour),
    )
}

/// A price as it was written, however small.
fn price(cost: &Cost, amount: f64) -> String {
    format!("{amount} {}", cost.currency)
}

/// What a row costs a month instead of the other, for a recommendation.
pub(super) fn instead(record: &Record, analysis: &Analysis, (row, other): (usize, usize)) -> Option<String> {
    let cost = record.settings.cost.as_ref()?;
    let month = |row: usize| Some(cost.money(analysis.rows[row].cost?.month.value));
    Some(format!("{} a month instead of {}", month(row)?, month(other)?))
}
