//! A server's processes in `/proc`.

mod memory;

use std::{collections::HashMap, time::Duration};

use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};
use procfs::process::{Process, Stat, Task, all_processes};

use super::{MemorySample, ProcessesCpu, ThreadCpu};

/// A server's process and all its descendants, even those whose parent has ended since they were first seen.
#[derive(Debug)]
pub struct ServerProcesses {
    root: i32,
    /// Whether the root has been seen.
    began: bool,
    known: HashMap<i32, KnownProcess>,
    /// Ended processes whose time nobody accounts for: their parent was not one of the server's.
    lost: u32,
}

/// A process, by its id.
#[derive(Debug, Clone, Copy)]
struct KnownProcess {
    /// When it was started: the kernel reuses ids.
    started: u64,
    parent: i32,
}

impl ServerProcesses {
    pub fn new(root: u32) -> ServerProcesses {
        let mut processes = ServerProcesses { root: root as i32, began: false, known: HashMap::new(), lost: 0 };
        processes.scan();
        processes
    }

    /// Processor time of all of them so far, also of descendants that have ended and were waited for.
    ///
    /// The clock of a process counts nanoseconds where `/proc/PID/stat` counts ticks of 10 ms; only what ended
    /// processes used comes from there.
    pub fn cpu(&mut self) -> Option<ProcessesCpu> {
        // Includes ended ones: until they are waited for, nobody else accounts for what they used.
        let all = self.scan();
        if all.is_empty() {
            return None;
        }
        let tick = Duration::from_secs(1) / procfs::ticks_per_second() as u32;
        let used = all.iter().map(|stat| {
            let ended = (stat.cutime + stat.cstime).max(0) as u32;
            let own = clock(stat).unwrap_or_else(|| tick * (stat.utime + stat.stime) as u32);
            own + tick * ended
        });
        Some(ProcessesCpu { used: used.sum(), lost: self.lost })
    }

    /// Memory of all of them. Reading PSS costs the kernel milliseconds, so this is not done while a slice is measured.
    pub fn memory(&mut self) -> MemorySample {
        let mut all = self.scan();
        all.retain(|stat| !matches!(stat.state, 'Z' | 'X'));
        // A process that has ended since counts as 0.
        let processes: Vec<_> = all.iter().filter_map(|stat| Process::new(stat.pid).ok()).collect();
        MemorySample {
            proportional: memory::proportional(&processes),
            resident: all.iter().map(|stat| stat.rss * procfs::page_size()).sum(),
            processes: all.len() as u32,
            threads: all.iter().map(|stat| stat.num_threads.max(0) as u32).sum(),
        }
    }

    /// Resident bytes of those that are known; quick.
    pub fn resident(&self) -> u64 {
        let pages = self.known.keys().filter_map(|pid| Process::new(*pid).ok()?.statm().ok());
        pages.map(|statm| statm.resident * procfs::page_size()).sum()
    }

    /// The processes that run now: the server's own first, then the others as they were started.
    pub fn pids(&mut self) -> Vec<u32> {
        let mut running = self.scan();
        running.retain(|stat| !matches!(stat.state, 'Z' | 'X'));
        running.sort_unstable_by_key(|stat| (stat.pid != self.root, stat.starttime, stat.pid));
        running.iter().map(|stat| stat.pid as u32).collect()
    }

    /// Looks through all processes of the machine for new descendants.
    fn scan(&mut self) -> Vec<Stat> {
        let Ok(processes) = all_processes() else { return Vec::new() };
        let all: HashMap<i32, Stat> =
            processes.flatten().filter_map(|process| process.stat().ok()).map(|stat| (stat.pid, stat)).collect();
        let same = |pid: &i32, known: &KnownProcess| all.get(pid).is_some_and(|stat| stat.starttime == known.started);
        // A process that its parent has waited for is counted with the parent, and that parent with its own.
        let gone = self.known.iter().filter(|(pid, known)| !same(pid, known));
        self.lost += gone.filter(|(_, known)| !self.known.contains_key(&known.parent)).count() as u32;
        self.known.retain(|pid, known| same(pid, known));
        if let Some(root) = all.get(&self.root).filter(|_| !self.began) {
            // Only once: after the root has ended, its id may belong to another process.
            self.known.insert(self.root, KnownProcess { started: root.starttime, parent: root.ppid });
            self.began = true;
        }
        loop {
            let children = all.values().filter(|stat| self.known.contains_key(&stat.ppid));
            let new: Vec<_> = children.filter(|stat| !self.known.contains_key(&stat.pid)).collect();
            if new.is_empty() {
                break;
            }
            let new =
                new.into_iter().map(|stat| (stat.pid, KnownProcess { started: stat.starttime, parent: stat.ppid }));
            self.known.extend(new);
        }
        all.into_values().filter(|stat| self.known.contains_key(&stat.pid)).collect()
    }
}

fn clock(stat: &Stat) -> Option<Duration> {
    cpu_of(u32::try_from(stat.pid).ok()?)
}

/// The kernel's name for a process: at most 15 bytes.
pub fn name_of(pid: u32) -> Option<String> {
    Some(stat_of(pid)?.comm)
}

/// The parent of a process.
pub fn parent_of(pid: u32) -> Option<u32> {
    u32::try_from(stat_of(pid)?.ppid).ok()
}

fn stat_of(pid: u32) -> Option<Stat> {
    Process::new(i32::try_from(pid).ok()?).ok()?.stat().ok()
}

/// Processor time that a process itself has used so far.
pub fn cpu_of(pid: u32) -> Option<Duration> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?);
    Some(clock_gettime(clock_getcpuclockid(pid).ok()?).ok()?.into())
}

/// The threads of these processes. Threads that have ended, or end meanwhile, are left out.
pub fn threads_of(pids: &[u32]) -> Vec<ThreadCpu> {
    let processes = pids.iter().filter_map(|pid| Process::new(i32::try_from(*pid).ok()?).ok());
    processes.filter_map(|process| process.tasks().ok()).flatten().flatten().filter_map(|task| of(&task)).collect()
}

fn of(task: &Task) -> Option<ThreadCpu> {
    let stat = task.stat().ok()?;
    let ticks = || Duration::from_secs(1) / procfs::ticks_per_second() as u32 * (stat.utime + stat.stime) as u32;
    // `schedstat` counts nanoseconds; a kernel may be built without it.
    let used = task.schedstat().map_or_else(|_| ticks(), |schedule| Duration::from_nanos(schedule.sum_exec_runtime));
    Some(ThreadCpu {
        process: u32::try_from(task.pid).ok()?,
        thread: u32::try_from(task.tid).ok()?,
        began: stat.starttime,
        name: stat.comm,
        used,
    })
}
