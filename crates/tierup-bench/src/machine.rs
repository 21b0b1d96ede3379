//! The machine: its properties, and its work other than the benchmark.
//!
//! Only Linux reports all of it; elsewhere the answer is `None` or empty.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::time::{Duration, SystemTime};

#[cfg(target_os = "linux")]
use self::linux::machine;
#[cfg(target_os = "linux")]
pub(crate) use self::linux::machine_cpu;
#[cfg(not(target_os = "linux"))]
use self::other::machine;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::machine_cpu;
use crate::record::{Busyness, Heading, Provenance};

/// Processor time of the whole machine since it started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MachineCpu {
    /// The time that all programs used.
    pub(crate) used: Duration,
    /// Time that a hypervisor gave to other machines.
    pub(crate) stolen: Duration,
    /// The load average over the last minute.
    pub(crate) load: f64,
}

/// The provenance of a run that begins now, on this machine.
pub(crate) fn provenance(heading: &Heading) -> Provenance {
    let mut environment = machine();
    environment.versions.clone_from(&heading.versions);
    Provenance {
        tierup: env!("CARGO_PKG_VERSION").to_owned(),
        title: heading.title.clone(),
        command: heading.command.clone(),
        began: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seconds: 0.0,
        environment,
        estimates: heading.estimates.clone(),
        interrupted: false,
    }
}

/// How busy the machine is with work other than this process, observed for a second. All 0 if unknown.
pub(crate) fn busyness() -> Busyness {
    watched(Duration::from_secs(1)).unwrap_or_default()
}

fn watched(length: Duration) -> Option<Busyness> {
    let before = (machine_cpu()?, own_cpu());
    std::thread::sleep(length);
    let after = (machine_cpu()?, own_cpu());
    let used = after.0.used.saturating_sub(before.0.used).saturating_sub(after.1.saturating_sub(before.1));
    let share = |time: Duration| time.as_secs_f64() / length.as_secs_f64();
    let stolen = share(after.0.stolen.saturating_sub(before.0.stolen));
    Some(Busyness { others: share(used), stolen, load: after.0.load })
}

/// Processor time of this process, which is the load generator's while it generates load.
pub(crate) fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
}
