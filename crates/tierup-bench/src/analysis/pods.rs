//! The arithmetic of pods. In: what one server uses, and the user's prices. Out: vCPUs, pods and money, each with the
//! interval that follows from the interval of CPU per request.

use serde::Serialize;

use crate::record::Cost;

/// A year has 8,760 hours and twelve months.
pub(super) const HOURS_A_MONTH: f64 = 730.0;
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
/// A number of pods may exceed a whole number by this much without being rounded up, as floating point is not exact.
const ROUNDING: f64 = 1e-9;

/// What a row needs and costs at the peak.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowCost {
    /// vCPUs at the wanted utilisation, not rounded to whole ones.
    pub vcpus: Ranged,
    /// Whole pods, as they are rented.
    pub pods: Ranged,
    /// The cost of a month, in the user's currency.
    pub month: Ranged,
    /// How many pods one server needs because of its memory.
    pub pods_a_server: u32,
}

/// A number and the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ranged {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

impl Ranged {
    /// Applies an increasing function to the number and both ends of its interval.
    fn map(self, rising: impl Fn(f64) -> f64) -> Ranged {
        let interval = self.interval.map(|(low, high)| (rising(low), rising(high)));
        Ranged { value: rising(self.value), interval }
    }
}

/// The resources that one server was seen to use.
pub(super) struct Use {
    /// CPU per request.
    pub(super) microseconds: Ranged,
    /// Memory, if known.
    pub(super) bytes: Option<f64>,
    /// The most processors that it can use at a time, if the server itself limits that.
    pub(super) vcpus: Option<f64>,
}

impl Cost {
    /// The cost of a row whose servers use these resources.
    pub(super) fn of(&self, server: Use) -> RowCost {
        let vcpus = server.microseconds.map(|each| self.peak * each.max(0.0) / 1e6 / self.utilisation);
        let pods_a_server = whole(server.bytes.unwrap_or(0.0) / GIB / self.pod_gib).max(1.0);
        // A server with one thread uses only one vCPU of its pod.
        let usable = (self.pod_vcpus * pods_a_server).min(server.vcpus.unwrap_or(f64::INFINITY));
        let servers = |vcpus: f64| whole(vcpus / usable).max(f64::from(self.least_pods));
        let pods = vcpus.map(|vcpus| servers(vcpus) * pods_a_server);
        let pod = self.pod_vcpus * self.vcpu_hour + self.pod_gib * self.gib_hour;
        let month = pods.map(|pods| pods * pod * HOURS_A_MONTH);
        RowCost { vcpus, pods, month, pods_a_server: pods_a_server as u32 }
    }
}

/// Rounds up to a whole number.
fn whole(value: f64) -> f64 {
    (value - ROUNDING).ceil()
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

    /// Rounds to six decimals, to remove floating-point errors.
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
    fn pods_are_whole_and_at_least_the_minimum() {
        // A pod costs 2 · 0.04 + 4 · 0.005 = 0.10 an hour, 73 a month.
        assert_eq!(of(3500.0, 1.0), (14.0, 7.0, 511.0));
        assert_eq!(of(3501.0, 1.0).1, 8.0);
        assert_eq!(of(10.0, 1.0), (0.04, 2.0, 146.0));
    }

    #[test]
    fn a_server_with_more_memory_than_one_pod_takes_several() {
        assert_eq!(of(3500.0, 4.0).1, 7.0);
        // A server takes two pods, with 4 vCPUs together: 14 vCPUs need four servers.
        assert_eq!(of(3500.0, 4.1).1, 8.0);
        assert_eq!(of(10.0, 9.0).1, 6.0);
        // The memory was not measured.
        assert_eq!(cost().of(server(10.0)).pods.value, 2.0);
    }

    #[test]
    fn a_server_with_one_thread_leaves_the_rest_of_its_pod_idle() {
        // 14 vCPUs, in pods of two.
        let pods =
            |vcpus: Option<f64>, bytes: Option<f64>| cost().of(Use { vcpus, bytes, ..server(3500.0) }).pods.value;
        assert_eq!(pods(Some(1.0), None), 14.0);
        assert_eq!(pods(Some(1.75), None), 8.0);
        assert_eq!(pods(Some(2.0), None), 7.0);
        // A server cannot use more vCPUs than its pod has.
        assert_eq!(pods(Some(16.0), None), 7.0);
        // Its memory needs two pods, of which it still uses one vCPU.
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
