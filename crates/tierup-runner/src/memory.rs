//! Limits the memory of a driver's processes: a function with a large number as its argument may ask for all memory,
//! and others use the machine, too.
//!
//! In: a driver's processes, even outside its session, such as the workers of `1:pool` in some hosts. Out: whether they
//! were ended because they took too much. This works only on Linux, where `/proc` shows the memory of each process;
//! elsewhere nothing is watched. System limits (`RLIMIT_AS`, `RLIMIT_DATA`) do not help, as V8, Go and the JVM reserve
//! far more than they use.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

use rustix::process::{Signal, kill_process};

use crate::tree::Members;

/// Watches a driver's processes until it is dropped.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    /// Dropping it together with the watch ends the thread.
    _end: Sender<()>,
    exceeded: Arc<AtomicBool>,
    limit: u64,
}

/// How often to check the memory. In this time, a program can fill some hundred MiB.
const LOOK: Duration = Duration::from_millis(100);
/// After so many checks, the processes are looked up again, which takes longer.
const LOOKS_PER_LOOK_UP: u32 = 5;
/// How often to look up the processes while killing them, as one may just have started another.
const ROUNDS: u32 = 10;

impl MemoryWatch {
    /// Kills all these processes once they use more than `limit` bytes together.
    pub(crate) fn start(mut members: Members, limit: u64) -> MemoryWatch {
        let (end, ended) = mpsc::channel::<()>();
        let exceeded = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&exceeded);
        thread::spawn(move || {
            let mut processes = Vec::new();
            for look in 0u32.. {
                if !matches!(ended.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
                    return;
                }
                if look % LOOKS_PER_LOOK_UP == 0 {
                    processes = members.look_up();
                }
                if processes.iter().map(|pid| system::resident(*pid)).sum::<u64>() > limit {
                    // This comes first: when the driver's owner sees the processes end, it asks for the reason.
                    tell.store(true, SeqCst);
                    return kill(&mut members);
                }
            }
        });
        MemoryWatch { _end: end, exceeded, limit }
    }

    /// The limit if it was exceeded, such as `more than 3.9 GiB of memory`.
    pub(crate) fn exceeded(&self) -> Option<String> {
        let gib = self.limit as f64 / f64::from(1 << 30);
        self.exceeded.load(SeqCst).then(|| format!("more than {gib:.1} GiB of memory"))
    }
}

fn kill(members: &mut Members) {
    for _ in 0..ROUNDS {
        let processes = members.look_up();
        if processes.is_empty() {
            return;
        }
        for pid in processes {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// A driver may take this much even if less is free: runtimes need some memory before any function is called.
const LEAST: u64 = 512 << 20;

/// The memory that a driver may take: half of the free memory, so that the machine stays usable.
pub(crate) fn allowance() -> u64 {
    system::available().map_or(u64::MAX, |free| (free / 2).max(LEAST))
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::process::Pid;

    /// The memory that is still available on the machine, or in this container, in bytes.
    pub(super) fn available() -> Option<u64> {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let machine = line.split_whitespace().next()?.parse::<u64>().ok()? << 10;
        Some(container().map_or(machine, |container| container.min(machine)))
    }

    /// The memory left below this container's limit, if it has one (version 2 of control groups).
    fn container() -> Option<u64> {
        let text = |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
        let number = |name: &str| -> Option<u64> { text(name)?.trim().parse().ok() };
        let cached = reclaimable(&text("memory.stat").unwrap_or_default());
        let used = number("memory.current")?.saturating_sub(cached);
        Some(number("memory.max")?.saturating_sub(used))
    }

    /// The part of a group's memory that the kernel frees on demand: mostly cached files. A build fills a container
    /// with these.
    fn reclaimable(stat: &str) -> u64 {
        let entries = stat.lines().filter_map(|line| line.split_once(' '));
        let counts = entries.filter(|(name, _)| matches!(*name, "active_file" | "inactive_file" | "slab_reclaimable"));
        counts.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum()
    }

    /// The resident memory of a process in bytes; 0 if it has ended.
    pub(super) fn resident(pid: Pid) -> u64 {
        let statm = fs::read_to_string(format!("/proc/{}/statm", pid.as_raw_nonzero())).unwrap_or_default();
        let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        pages * rustix::param::page_size() as u64
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn cached_files_are_free_memory() {
            let stat = "anon 1000\nfile 700\nactive_file 300\ninactive_file 400\nslab_reclaimable 50\nslab 60\n";
            assert_eq!(reclaimable(stat), 750);
            assert_eq!(reclaimable(""), 0);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::process::Pid;

    pub(super) fn available() -> Option<u64> {
        None
    }

    pub(super) fn resident(_: Pid) -> u64 {
        0
    }
}
