//! The truth of `/proc`.

use std::{collections::HashMap, thread::available_parallelism, time::Duration};

use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};
use procfs::{
    Current as _, CurrentSI as _, KernelStats, LoadAverage, Meminfo,
    process::{Process, Stat, all_processes},
};

use super::MachineCpu;
use crate::record::{Environment, MemorySample};

/// A server's process and all its descendants, also those whose parent has gone since they were first seen.
#[derive(Debug)]
pub struct ServerProcesses {
    root: i32,
    /// By process id, when they were started: the kernel gives ids again.
    known: HashMap<i32, u64>,
}

impl ServerProcesses {
    pub fn new(root: u32) -> ServerProcesses {
        let mut processes = ServerProcesses { root: root as i32, known: HashMap::new() };
        processes.scan();
        processes
    }

    /// Processor time of all of them so far, also of descendants that have ended and were waited for.
    ///
    /// The clock of a process counts nanoseconds where `/proc/PID/stat` counts ticks of 10 ms; only what ended
    /// processes used comes from there.
    pub fn cpu(&mut self) -> Option<Duration> {
        // Ended ones too: until they are waited for, nobody else accounts for what they used.
        let all = self.scan();
        if all.is_empty() {
            return None;
        }
        let tick = Duration::from_secs(1) / procfs::ticks_per_second() as u32;
        let total = all.iter().map(|stat| {
            let ended = (stat.cutime + stat.cstime).max(0) as u32;
            clock(stat).unwrap_or_default() + tick * ended
        });
        Some(total.sum())
    }

    /// Memory of all of them; reading PSS costs the kernel milliseconds, so not while a slice is measured.
    pub fn memory(&mut self) -> MemorySample {
        let all = self.scan();
        let mut sample = MemorySample { proportional: Some(0), ..MemorySample::default() };
        for stat in all.iter().filter(|stat| !matches!(stat.state, 'Z' | 'X')) {
            // One that has ended since counts as nothing.
            let Ok(process) = Process::new(stat.pid) else { continue };
            let proportional = process.smaps_rollup().ok().and_then(|rollup| {
                let map = rollup.memory_map_rollup.0.into_iter().next()?;
                map.extension.map.get("Pss").copied()
            });
            sample.proportional = sample.proportional.zip(proportional).map(|(sum, one)| sum + one);
            sample.resident += stat.rss * procfs::page_size();
            sample.processes += 1;
            sample.threads += stat.num_threads.max(0) as u32;
        }
        sample
    }

    /// Resident bytes of those that are known; quick.
    pub fn resident(&self) -> u64 {
        let pages = self.known.keys().filter_map(|pid| Process::new(*pid).ok()?.statm().ok());
        pages.map(|statm| statm.resident * procfs::page_size()).sum()
    }

    /// Looks through all processes of the machine for new descendants.
    fn scan(&mut self) -> Vec<Stat> {
        let Ok(processes) = all_processes() else { return Vec::new() };
        let all: HashMap<i32, Stat> =
            processes.flatten().filter_map(|process| process.stat().ok()).map(|stat| (stat.pid, stat)).collect();
        self.known.retain(|pid, started| all.get(pid).is_some_and(|stat| stat.starttime == *started));
        if let Some(root) = all.get(&self.root) {
            self.known.entry(self.root).or_insert(root.starttime);
        }
        loop {
            let children = all.values().filter(|stat| self.known.contains_key(&stat.ppid));
            let new: Vec<_> = children.filter(|stat| !self.known.contains_key(&stat.pid)).collect();
            if new.is_empty() {
                break;
            }
            self.known.extend(new.into_iter().map(|stat| (stat.pid, stat.starttime)));
        }
        all.into_values().filter(|stat| self.known.contains_key(&stat.pid)).collect()
    }
}

fn clock(stat: &Stat) -> Option<Duration> {
    let time = clock_gettime(clock_getcpuclockid(Pid::from_raw(stat.pid)).ok()?).ok()?;
    Some(time.into())
}

/// Processor time of the machine.
pub fn machine_cpu() -> Option<MachineCpu> {
    let total = KernelStats::current().ok()?.total;
    let tick = 1.0 / procfs::ticks_per_second() as f64;
    let seconds = |ticks: u64| Duration::from_secs_f64(ticks as f64 * tick);
    let used = total.user + total.nice + total.system + total.irq.unwrap_or(0) + total.softirq.unwrap_or(0);
    let load = LoadAverage::current().map_or(0.0, |load| f64::from(load.one));
    Some(MachineCpu { used: seconds(used), stolen: seconds(total.steal.unwrap_or(0)), load })
}

/// What machine this is.
pub fn machine() -> Environment {
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
