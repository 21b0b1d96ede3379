//! Processor time of single threads. In: processes. Out: what each of their threads has used so far.

use std::time::Duration;

use procfs::process::{Process, Task};

use super::super::ThreadCpu;

/// The threads of these processes. One that has ended, or ends meanwhile, is not among them.
pub fn threads_of(pids: &[u32]) -> Vec<ThreadCpu> {
    let processes = pids.iter().filter_map(|pid| Process::new(i32::try_from(*pid).ok()?).ok());
    processes.filter_map(|process| process.tasks().ok()).flatten().flatten().filter_map(|task| of(&task)).collect()
}

fn of(task: &Task) -> Option<ThreadCpu> {
    let stat = task.stat().ok()?;
    let ticks = || Duration::from_secs(1) / procfs::ticks_per_second() as u32 * (stat.utime + stat.stime) as u32;
    // In nanoseconds; a kernel may be built without it.
    let used = task.schedstat().map_or_else(|_| ticks(), |schedule| Duration::from_nanos(schedule.sum_exec_runtime));
    Some(ThreadCpu {
        process: u32::try_from(task.pid).ok()?,
        thread: u32::try_from(task.tid).ok()?,
        began: stat.starttime,
        name: stat.comm,
        used,
    })
}
