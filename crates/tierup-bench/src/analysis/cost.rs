//! What a row costs a month at the user's own peak. In: its CPU per request, the CPU and memory that it used, and the
//! user's prices. Out: vCPUs, pods and money, each with the interval that follows from that of CPU per request.

use tierup_report::numbers;

use super::{Analysis, Figure, Ranged, RowCost, marks::generator_bound};
use crate::record::{Cost, Loop, Record, Slice};

/// A year has 8,760 hours, and twelve months.
const HOURS_A_MONTH: f64 = 730.0;
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
/// What arithmetic may be wrong by before a whole number of pods becomes one more.
const ROUNDING: f64 = 1e-9;

impl Ranged {
    fn map(self, rising: impl Fn(f64) -> f64) -> Ranged {
        let interval = self.interval.map(|(low, high)| (rising(low), rising(high)));
        Ranged { value: rising(self.value), interval }
    }
}

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

/// What one server was seen to use.
struct Use {
    /// CPU a request.
    microseconds: Ranged,
    /// Memory, where that is known.
    bytes: Option<f64>,
    /// The most processors at a time, where something of its own kept it from using more.
    vcpus: Option<f64>,
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
    fn of(&self, server: Use) -> RowCost {
        let vcpus = server.microseconds.map(|each| self.peak * each.max(0.0) / 1e6 / self.utilisation);
        let pods_a_server = whole(server.bytes.unwrap_or(0.0) / GIB / self.pod_gib).max(1.0);
        // A server with one thread leaves all vCPUs of its pod but one idle.
        let usable = (self.pod_vcpus * pods_a_server).min(server.vcpus.unwrap_or(f64::INFINITY));
        let servers = |vcpus: f64| whole(vcpus / usable).max(f64::from(self.least_pods));
        let pods = vcpus.map(|vcpus| servers(vcpus) * pods_a_server);
        let pod = self.pod_vcpus * self.vcpu_hour + self.pod_gib * self.gib_hour;
        let month = pods.map(|pods| pods * pod * HOURS_A_MONTH);
        RowCost { vcpus, pods, month, pods_a_server: pods_a_server as u32 }
    }

    /// An amount of money: `1,234 EUR`, `9.50 EUR`.
    pub(crate) fn money(&self, amount: f64) -> String {
        format!("{} {}", numbers::money(amount), self.currency)
    }
}

/// The next whole number.
fn whole(value: f64) -> f64 {
    (value - ROUNDING).ceil()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cost() -> Cost {
        Cost {
            peak: 2000.0,
            vcpu_hour: 0.04,
            gib_hour: 0.005,
            currency: "EUR".into(),
            utilisation: 0.5,
            pod_vcpus: 2.0,
            pod_gib: 4.0,
            least_pods: 2,
        }
    }

    /// To six decimals, which floating point has.
    fn rounded(value: f64) -> f64 {
        (value * 1e6).round() / 1e6
    }

    fn server(microseconds: f64) -> Use {
        Use { microseconds: Ranged { value: microseconds, interval: None }, bytes: None, vcpus: None }
    }

    fn of(microseconds: f64, gib: f64) -> (f64, f64, f64) {
        let row = cost().of(Use { bytes: Some(gib * GIB), ..server(microseconds) });
        (rounded(row.vcpus.value), row.pods.value, rounded(row.month.value))
    }

    #[test]
    fn pods_are_whole_and_no_fewer_than_the_least() {
        // A pod is 2 · 0.04 + 4 · 0.005 = 0.10 an hour, 73 a month.
        assert_eq!(of(3500.0, 1.0), (14.0, 7.0, 511.0));
        assert_eq!(of(3501.0, 1.0).1, 8.0);
        assert_eq!(of(10.0, 1.0), (0.04, 2.0, 146.0));
    }

    #[test]
    fn a_server_that_one_pod_does_not_hold_takes_several() {
        assert_eq!(of(3500.0, 4.0).1, 7.0);
        // Two pods a server, of 4 vCPUs together: four servers for 14.
        assert_eq!(of(3500.0, 4.1).1, 8.0);
        assert_eq!(of(10.0, 9.0).1, 6.0);
        // Nobody measured it.
        assert_eq!(cost().of(server(10.0)).pods.value, 2.0);
    }

    #[test]
    fn a_server_with_one_thread_leaves_the_rest_of_its_pod_idle() {
        // 14 vCPUs in pods of two.
        let pods =
            |vcpus: Option<f64>, bytes: Option<f64>| cost().of(Use { vcpus, bytes, ..server(3500.0) }).pods.value;
        assert_eq!(pods(Some(1.0), None), 14.0);
        assert_eq!(pods(Some(1.75), None), 8.0);
        assert_eq!(pods(Some(2.0), None), 7.0);
        // More than a pod has is of no use.
        assert_eq!(pods(Some(16.0), None), 7.0);
        // Two pods hold its memory, and it still uses one vCPU.
        assert_eq!(pods(Some(1.0), Some(5.0 * GIB)), 28.0);
    }

    #[test]
    fn an_interval_is_rounded_up_at_both_ends() {
        let microseconds = Ranged { value: 3000.0, interval: Some((2600.0, 3600.0)) };
        let row = cost().of(Use { microseconds, bytes: None, vcpus: None });
        let ends = |ranged: Ranged| ranged.interval.map(|(low, high)| (rounded(low), rounded(high)));
        assert_eq!((ends(row.vcpus), ends(row.pods)), (Some((10.4, 14.4)), Some((6.0, 8.0))));
        assert_eq!((row.pods.value, ends(row.month)), (6.0, Some((438.0, 584.0))));
    }
}
