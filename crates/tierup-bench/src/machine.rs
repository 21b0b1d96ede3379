//! The machine: what it is, and what it does beside the benchmark.
//!
//! Only Linux tells all of it; elsewhere nothing is answered rather than something else.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::{machine, machine_cpu};
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::{machine, machine_cpu};
use crate::record::Busyness;

/// Processor time of the whole machine since it was started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MachineCpu {
    /// All that was used, by anyone.
    pub(crate) used: Duration,
    /// What a hypervisor gave to others.
    pub(crate) stolen: Duration,
    /// The load average over the last minute.
    pub(crate) load: f64,
}

/// How busy the machine is with other things than this process, watched for this long.
pub(crate) fn busyness(watched: Duration) -> Option<Busyness> {
    let before = (machine_cpu()?, own_cpu());
    std::thread::sleep(watched);
    let after = (machine_cpu()?, own_cpu());
    let used = after.0.used.saturating_sub(before.0.used).saturating_sub(after.1.saturating_sub(before.1));
    let share = |time: Duration| time.as_secs_f64() / watched.as_secs_f64();
    let stolen = share(after.0.stolen.saturating_sub(before.0.stolen));
    Some(Busyness { others: share(used), stolen, load: after.0.load })
}

/// Processor time of this process: the load generator's, while it generates load.
pub(crate) fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
}
