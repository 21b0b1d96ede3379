//! The CPU of processes of which nothing was sampled, such as a web server in front of PHP. In: the kernel's count for each process
//! before and after a block. Out: what each of them used, by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tierup_profile::{Profile, Sample};
use tierup_subject::{cpu_of, name_of};

/// What processes had used at one time.
pub(crate) struct Processes(BTreeMap<u32, Duration>);

/// CPU of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessCpu {
    pub process: u32,
    /// The kernel's name of it.
    pub name: String,
    pub cpu: Duration,
}

impl Processes {
    pub(crate) fn of(pids: &[u32]) -> Processes {
        Processes(pids.iter().filter_map(|pid| Some((*pid, cpu_of(*pid)?))).collect())
    }

    /// What they have used since. Processes that have begun since are left out, as an id may have been given again.
    pub(crate) fn until_now(&self) -> Vec<ProcessCpu> {
        let used = |(pid, before): (&u32, &Duration)| {
            let cpu = cpu_of(*pid)?.checked_sub(*before)?;
            Some(ProcessCpu { process: *pid, name: name_of(*pid)?, cpu })
        };
        self.0.iter().filter_map(used).collect()
    }
}

/// Those that are not sampled. A sensor that does not say which processes it samples may sample them all.
pub(crate) fn unsampled<'a>(processes: &'a [ProcessCpu], sampled: &BTreeSet<Option<u32>>) -> Vec<&'a ProcessCpu> {
    if sampled.contains(&None) {
        return Vec::new();
    }
    processes.iter().filter(|one| !one.cpu.is_zero() && !sampled.contains(&Some(one.process))).collect()
}

/// Adds them to the profile of their block.
pub(crate) fn add(profile: &mut Profile, unsampled: &[&ProcessCpu]) {
    for ProcessCpu { process, name, cpu } in unsampled {
        let stack = profile.unsampled(&format!("other process: {name}"));
        profile.add(Sample { stack, weight: cpu.as_secs_f64(), block: 0, process: *process, thread: 0 });
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
        let before = Processes::of(&pids);
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

    #[test]
    fn only_processes_without_samples_are_named() {
        let process = |process, milliseconds| {
            let cpu = Duration::from_millis(milliseconds);
            ProcessCpu { process, name: "proxy".to_owned(), cpu }
        };
        let all = [process(1, 0), process(2, 10), process(3, 20)];
        let sampled = BTreeSet::from([Some(3), Some(4)]);
        assert_eq!(unsampled(&all, &sampled), [&all[1]]);
        assert!(unsampled(&all, &BTreeSet::from([Some(3), None])).is_empty());
    }
}
