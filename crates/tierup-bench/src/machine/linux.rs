//! The machine, as `/proc` describes it.

use std::{thread::available_parallelism, time::Duration};

use procfs::{Current as _, CurrentSI as _, KernelStats, LoadAverage, Meminfo};

use super::MachineCpu;
use crate::record::Environment;

/// Processor time of the machine.
pub(crate) fn machine_cpu() -> Option<MachineCpu> {
    let total = KernelStats::current().ok()?.total;
    let tick = 1.0 / procfs::ticks_per_second() as f64;
    let seconds = |ticks: u64| Duration::from_secs_f64(ticks as f64 * tick);
    let used = total.user + total.nice + total.system + total.irq.unwrap_or(0) + total.softirq.unwrap_or(0);
    let load = LoadAverage::current().map_or(0.0, |load| f64::from(load.one));
    Some(MachineCpu { used: seconds(used), stolen: seconds(total.steal.unwrap_or(0)), load })
}

/// The properties of the machine.
pub(crate) fn machine() -> Environment {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let uname = rustix::system::uname();
    let part = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    Environment {
        processor: model.map_or_else(|| part(uname.machine()), |(_, name)| name.trim().to_owned()),
        processors: available_parallelism().map_or(1.0, |count| count.get() as f64),
        memory: Meminfo::current().map_or(0, |memory| memory.mem_total),
        kernel: format!("{} {}", part(uname.sysname()), part(uname.release())),
        ..Environment::default()
    }
}
