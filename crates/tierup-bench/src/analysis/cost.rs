//! The monthly cost of a row at the user's own peak. In: its CPU per request, the CPU and memory that it used, and the
//! user's prices. Out: each row's [`RowCost`](super::RowCost), and sentences about it.

use tierup_report::numbers;
use tierup_subject::processors::Processors;

use super::{
    marks::generator_bound,
    pods::{HOURS_A_MONTH, Ranged, RowCost, Use},
    result::{Analysis, Figure},
};
use crate::record::{Cost, Loop, Record, Slice};

/// Fills in the cost of each row that was measured soundly, if the user named prices.
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
        vcpus: most_vcpus(record, analysis, row),
    };
    Some(cost.of(use_of_server))
}

/// The most vCPUs that a row's server can use, if the server itself limits that. `None` if no such limit is known.
///
/// If the row's own limit did not show, because the load generator or the processors were the limit, the limit of its
/// group's reference holds: otherwise two servers with one thread each would be counted differently. The limit is never
/// less than what the server was seen to use.
fn most_vcpus(record: &Record, analysis: &Analysis, row: usize) -> Option<f64> {
    let seen = most_seen(record, row)?;
    let is_bound = generator_bound(record, row);
    if seen.is_below_what_there_was() && !is_bound {
        return Some(seen.at_least_one());
    }
    let reference = analysis.groups.iter().find(|group| group.rows.contains(&row))?.reference;
    let limit = most_seen(record, reference)
        .filter(|seen| seen.is_below_what_there_was() && !generator_bound(record, reference))?
        .at_least_one();
    (is_bound || seen.used <= limit * SAME).then_some(limit.max(seen.used))
}

/// A server that used less than this share of the processors that it could have was limited by something else.
const CLEARLY_BELOW: f64 = 0.8;
/// A server that used at most this many times as much as the reference may have the same limit.
const SAME: f64 = 1.1;

/// How many processors a server used, and how many it could have used.
struct ProcessorsUsed {
    used: f64,
    there_were: f64,
}

impl ProcessorsUsed {
    fn is_below_what_there_was(&self) -> bool {
        self.used < self.there_were * CLEARLY_BELOW
    }

    /// The processors used, but at least one: a server that waits for a database, or for more connections, may use less
    /// than one here and more in production.
    fn at_least_one(&self) -> f64 {
        self.used.max(1.0)
    }
}

/// The slice of the closed loop in which the row's server used most.
fn most_seen(record: &Record, row: usize) -> Option<ProcessorsUsed> {
    let pinned = record.settings.server_processors.as_ref().and_then(|list| list.parse::<Processors>().ok());
    let seen = |slice: &Slice| {
        let each = slice.server_cpu? / slice.answered as f64;
        let used = Some(slice.throughput() * each / 1e6).filter(|used| used.is_finite())?;
        let there_were = match &pinned {
            Some(pinned) => pinned.0.len() as f64,
            // The server could not use the CPU that the load generator took.
            None => {
                let seconds = slice.seconds + slice.drain_seconds;
                record.provenance.environment.processors - slice.generator_cpu / 1e6 / seconds
            }
        };
        Some(ProcessorsUsed { used, there_were })
    };
    record
        .slices(row, Loop::Closed)
        .filter_map(seen)
        .reduce(|most, other| if other.used > most.used { other } else { most })
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
         {HOURS_A_MONTH} hours a month. A vCPU is taken to be as fast as a processor of this machine. A server that left \
         processors idle in the closed loop is taken to use at most as many vCPUs as it did there, or one.",
        numbers::rate(cost.peak),
        numbers::share(cost.utilisation),
        numbers::plain(cost.pod_vcpus),
        numbers::plain(cost.pod_gib),
        cost.least_pods,
        price(cost, cost.vcpu_hour),
        price(cost, cost.gib_hour),
    )
}

/// A price as the user wrote it, however small.
fn price(cost: &Cost, amount: f64) -> String {
    format!("{amount} {}", cost.currency)
}

/// The monthly cost of one row instead of the other's, for a recommendation.
pub(super) fn instead(record: &Record, analysis: &Analysis, (row, other): (usize, usize)) -> Option<String> {
    let cost = record.settings.cost.as_ref()?;
    let month = |row: usize| Some(cost.money(analysis.rows[row].cost?.month.value));
    Some(format!("{} a month instead of {}", month(row)?, month(other)?))
}
