//! The CPU time that a sensor does not see: of threads that it never samples, such as those of libuv in Node, and of
//! processes that run something else, such as a web server in front of PHP. In: the kernel's counts before and after a
//! block. Out: the CPU time of each kind of thread and of each other process.

mod threads;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tierup_codegen::Sensor;
use tierup_profile::{Profile, Sample};
use tierup_subject::{ThreadCpu, cpu_of, name_of};

use self::threads::Threads;

/// A thread's process and id.
pub(crate) type ThreadId = (u32, u32);

/// CPU time of the threads of one kind in one process, or of a whole process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsampled {
    pub process: u32,
    /// [`ThreadRule::what`](tierup_codegen::ThreadRule::what), or the process's name.
    pub what: Cow<'static, str>,
    pub cpu: Duration,
}

/// The CPU time that all threads and processes of a server had used when a block began.
pub(crate) struct Before {
    threads: Threads,
    processes: Processes,
}

/// The CPU time that they have used in a block.
pub(crate) struct Used {
    threads: Vec<Unsampled>,
    processes: Vec<ProcessCpu>,
}

impl Before {
    /// `threads` are the current threads of the processes; the list may be empty if the sensor has no rules for them.
    pub(crate) fn measure(pids: &[u32], threads: &[ThreadCpu], sensor: &Sensor) -> Before {
        Before { threads: Threads::new(threads, sensor.thread_rules), processes: Processes::measure(pids) }
    }

    /// `sampled` are the threads that the sensor is known to sample.
    pub(crate) fn until_now(&self, pids: &[u32], sampled: &BTreeSet<ThreadId>) -> Used {
        Used { threads: self.threads.until_now(pids, sampled), processes: self.processes.until_now() }
    }
}

impl Used {
    /// The CPU time of a block that the sensor did not sample.
    pub(crate) fn outside(self, sampled: &BTreeSet<Option<u32>>) -> Vec<Unsampled> {
        // The sensor's thread rules hold only for processes that it samples.
        let threads = self.threads.into_iter().filter(|one| sampled.contains(&Some(one.process)));
        // A sensor that does not say which processes it samples may sample them all.
        let is_seen = |process: u32| sampled.contains(&None) || sampled.contains(&Some(process));
        let processes = self.processes.into_iter().filter(|one| !one.cpu.is_zero() && !is_seen(one.process));
        let named = |ProcessCpu { process, name, cpu }| Unsampled {
            process,
            what: format!("other process: {name}").into(),
            cpu,
        };
        threads.chain(processes.map(named)).collect()
    }
}

/// Adds unsampled CPU time to the profile of its block.
pub(crate) fn add(profile: &mut Profile, unsampled: &[Unsampled]) {
    for Unsampled { process, what, cpu } in unsampled {
        let stack = profile.unsampled(what);
        profile.add(Sample { stack, weight: cpu.as_secs_f64(), block: 0, process: *process, thread: 0 });
    }
}

/// The CPU time that processes had used at a certain moment.
#[derive(Default)]
pub(crate) struct Processes(BTreeMap<u32, Duration>);

/// CPU time of one process.
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

    /// The CPU time used since. Processes that began later are left out, even if they have the id of an earlier one.
    pub(crate) fn until_now(&self) -> Vec<ProcessCpu> {
        let used = |(pid, before): (&u32, &Duration)| {
            let cpu = cpu_of(*pid)?.checked_sub(*before)?;
            Some(ProcessCpu { process: *pid, name: name_of(*pid)?, cpu })
        };
        self.0.iter().filter_map(used).collect()
    }
}

#[cfg(test)]
mod tests {
    use tierup_profile::rank;

    use super::*;

    fn unsampled(process: u32, what: &'static str, milliseconds: u64) -> Unsampled {
        Unsampled { process, what: what.into(), cpu: Duration::from_millis(milliseconds) }
    }

    fn used() -> Used {
        let process = |process, milliseconds| {
            let cpu = Duration::from_millis(milliseconds);
            ProcessCpu { process, name: "proxy".to_owned(), cpu }
        };
        let threads = vec![unsampled(2, "the pool", 5), unsampled(3, "the pool", 7)];
        Used { threads, processes: vec![process(1, 0), process(2, 10), process(3, 20)] }
    }

    #[test]
    fn a_process_counts_by_thread_kinds_or_as_a_whole() {
        let outside = used().outside(&BTreeSet::from([Some(3), Some(4)]));
        assert_eq!(outside, [unsampled(3, "the pool", 7), unsampled(2, "other process: proxy", 10)]);
        assert!(used().outside(&BTreeSet::from([Some(3), None])).iter().all(|one| one.process == 3));
    }

    #[test]
    fn unsampled_cpu_counts_as_busy_time_without_a_function() {
        let mut profile = Profile::default();
        add(&mut profile, &[unsampled(7, "the compiler", 40), unsampled(7, "the pool", 360)]);
        profile.set_cpu(0, 0.8);
        let ranking = rank(&profile);
        assert!((profile.busy() - 0.4).abs() < 1e-9 && ranking.sampled == 0.0 && ranking.functions.is_empty());
        assert_eq!(ranking.rest.len(), 3, "two kinds of threads, and what is not seen");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_counts_the_cpu_used_since() {
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
