//! What a server's processes cost, and what else the machine does, as the kernel counts it.
//!
//! Only Linux tells all of it; elsewhere nothing is answered rather than something else.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::time::Duration;

#[cfg(target_os = "linux")]
pub use self::linux::{ServerProcesses, machine, machine_cpu};
#[cfg(not(target_os = "linux"))]
pub use self::other::{ServerProcesses, machine, machine_cpu};
use crate::record::Busyness;

/// Processor time of a server's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessesCpu {
    /// Since they were started.
    pub used: Duration,
    /// How many of them have ended so far without anybody to account for what they used. Between two readings that
    /// differ in it, nobody knows what was used.
    pub lost: u32,
}

impl ProcessesCpu {
    /// What was used since an earlier reading; `None` where nobody knows.
    pub fn since(self, before: ProcessesCpu) -> Option<Duration> {
        (self.lost == before.lost).then(|| self.used.saturating_sub(before.used))
    }
}

/// Processor time of the whole machine since it was started.
#[derive(Debug, Clone, Copy, Default)]
pub struct MachineCpu {
    /// All that was used, by anyone.
    pub used: Duration,
    /// What a hypervisor gave to others.
    pub stolen: Duration,
    /// The load average over the last minute.
    pub load: f64,
}

/// How busy the machine is with other things than this process, watched for this long.
pub fn busyness(watched: Duration) -> Option<Busyness> {
    let before = (machine_cpu()?, own_cpu());
    std::thread::sleep(watched);
    let after = (machine_cpu()?, own_cpu());
    let used = after.0.used.saturating_sub(before.0.used).saturating_sub(after.1.saturating_sub(before.1));
    let share = |time: Duration| time.as_secs_f64() / watched.as_secs_f64();
    let stolen = share(after.0.stolen.saturating_sub(before.0.stolen));
    Some(Busyness { others: share(used), stolen, load: after.0.load })
}

/// Processor time of this process: the load generator's, while it generates load.
pub fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
}
