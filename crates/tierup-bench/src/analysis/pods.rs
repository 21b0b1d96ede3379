//! The arithmetic of pods: what one server uses and the user's prices in, vCPUs, pods and money out, each with the interval
//! that follows from that of CPU per request.

use serde::Serialize;

use crate::record::Cost;

/// A year has 8,760 hours and twelve months.
pub(super) const HOURS_A_MONTH: f64 = 730.0;
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
/// A number of pods may exceed a whole number by this much, the error of floating point, without needing one more.
const ROUNDING: f64 = 1e-9;

/// A row at the peak.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowCost {
    /// At the wanted utilisation; a tenth of one is possible here.
    pub vcpus: Ranged,
    /// Whole ones, as they are rented.
    pub pods: Ranged,
    /// In the user's currency.
    pub month: Ranged,
    /// How many pods' memory one server takes.
    pub pods_a_server: u32,
}

/// A number and the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ranged {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

impl Ranged {
    /// The number and its ends through a function that rises.
    fn map(self, rising: impl Fn(f64) -> f64) -> Ranged {
        let interval = self.interval.map(|(low, high)| (rising(low), rising(high)));
        Ranged { value: rising(self.value), interval }
    }
}

/// What one server was seen to use.
pub(super) struct Use {
    /// CPU a request.
    pub(super) microseconds: Ranged,
    /// Memory, where that is known.
    pub(super) bytes: Option<f64>,
    /// The most processors at a time, where something of its own kept it from using more.
    pub(super) vcpus: Option<f64>,
}

impl Cost {
    /// What rows cost whose servers use this.
    pub(super) fn of(&self, server: Use) -> RowCost {
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
}

/// The next whole number.
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
        // Not measured.
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
