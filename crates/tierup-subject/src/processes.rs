//! Processor time and memory of a server's processes, as the kernel counts them.
//!
//! Only Linux reports these. Elsewhere, all answers are empty.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub use self::linux::{ServerProcesses, cpu_of, name_of, parent_of, threads_of};
#[cfg(not(target_os = "linux"))]
pub use self::other::{ServerProcesses, cpu_of, name_of, parent_of, threads_of};

/// Processor time of a server's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessesCpu {
    /// Since they were started.
    pub used: Duration,
    /// Processes that have ended so far and whose time nobody accounts for. Between two readings with different
    /// numbers, the time is unknown.
    pub lost: u32,
}

/// Processor time of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCpu {
    pub process: u32,
    pub thread: u32,
    /// When it was started, in the kernel's ticks: the kernel reuses ids.
    pub began: u64,
    /// The kernel's name for it, at most 15 bytes.
    pub name: String,
    /// Since it was started.
    pub used: Duration,
}

/// Memory at one time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MemorySample {
    /// Proportional set size: shared pages divided by their users among the server's processes, as if it ran alone.
    /// `None` where the kernel does not say.
    pub proportional: Option<u64>,
    /// Resident set size: shared pages counted for each process.
    pub resident: u64,
    pub processes: u32,
    pub threads: u32,
}

impl ProcessesCpu {
    /// The time used since an earlier reading; `None` if it is unknown.
    pub fn since(self, before: ProcessesCpu) -> Option<Duration> {
        (self.lost == before.lost).then(|| self.used.saturating_sub(before.used))
    }
}
