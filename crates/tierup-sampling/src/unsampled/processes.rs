//! The CPU of single processes. In: the kernel's count for each of them, before and after a block. Out: its use, and its name.

use std::{collections::BTreeMap, time::Duration};

use tierup_subject::{cpu_of, name_of};

/// The CPU that processes had used at one time.
#[derive(Default)]
pub(crate) struct Processes(BTreeMap<u32, Duration>);

/// CPU of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessCpu {
    pub(crate) process: u32,
    /// The kernel's name for it.
    pub(crate) name: String,
    pub(crate) cpu: Duration,
}

impl Processes {
    pub(crate) fn measure(pids: &[u32]) -> Processes {
        Processes(pids.iter().filter_map(|pid| Some((*pid, cpu_of(*pid)?))).collect())
    }

    /// The CPU that they have used since. Processes that have begun since are left out, as an id may have been given again.
    pub(crate) fn until_now(&self) -> Vec<ProcessCpu> {
        let used = |(pid, before): (&u32, &Duration)| {
            let cpu = cpu_of(*pid)?.checked_sub(*before)?;
            Some(ProcessCpu { process: *pid, name: name_of(*pid)?, cpu })
        };
        self.0.iter().filter_map(used).collect()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_counts_what_it_has_used_since() {
        let mut shell = std::process::Command::new("sh");
        let mut shell = shell.args(["-c", "while :; do :; done"]).spawn().unwrap();
        let pids = [shell.id(), u32::MAX >> 1];
        let before = Processes::measure(&pids);
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        let found = loop {
            let found = before.until_now();
            if !found[0].cpu.is_zero() || std::time::Instant::now() > deadline {
                break found;
            }
        };
        shell.kill().unwrap();
        shell.wait().unwrap();
        assert!(!found[0].cpu.is_zero() && found.len() == 1 && found[0].process == pids[0], "{found:?}");
        assert!(before.until_now().is_empty());
    }
}
