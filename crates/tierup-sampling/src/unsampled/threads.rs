//! The CPU time of threads that a sensor never samples, such as those of libuv in Node. In: the kernel's counts for
//! each thread before and after a block, and the sensor's names for these threads. Out: the CPU time of each kind.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use tierup_codegen::ThreadRule;
use tierup_profile::fits;
use tierup_subject::{ThreadCpu, threads_of};

use super::Unsampled;

/// A thread's process and id.
pub(crate) type ThreadId = (u32, u32);

/// The CPU time that the threads of some processes had used at a certain moment.
pub(super) struct Threads {
    used: HashMap<(ThreadId, u64), Duration>,
    rules: &'static [ThreadRule],
}

impl Threads {
    /// Notes the current CPU time of these threads.
    pub(super) fn new(threads: &[ThreadCpu], rules: &'static [ThreadRule]) -> Threads {
        Threads { used: threads.iter().map(|thread| (key(thread), thread.used)).collect(), rules }
    }

    /// The CPU time that these and newer threads have used since, without the sampled threads.
    pub(super) fn until_now(&self, pids: &[u32], sampled: &BTreeSet<ThreadId>) -> Vec<Unsampled> {
        let threads = if self.rules.is_empty() { Vec::new() } else { threads_of(pids) };
        self.until(threads, sampled)
    }

    fn until(&self, threads: Vec<ThreadCpu>, sampled: &BTreeSet<ThreadId>) -> Vec<Unsampled> {
        let mut sums: BTreeMap<(u32, &'static str), Duration> = BTreeMap::new();
        // The main thread of a process, whose id equals the process's, is sampled by every sensor.
        let is_sampled =
            |thread: &ThreadCpu| thread.thread == thread.process || sampled.contains(&(thread.process, thread.thread));
        for thread in threads.into_iter().filter(|thread| !is_sampled(thread)) {
            let Some(rule) = self.rules.iter().find(|rule| fits(rule.name, &thread.name)) else { continue };
            let before = self.used.get(&key(&thread)).copied().unwrap_or_default();
            *sums.entry((thread.process, rule.what)).or_default() += thread.used.saturating_sub(before);
        }
        let sums = sums.into_iter().filter(|(_, cpu)| !cpu.is_zero());
        sums.map(|((process, what), cpu)| Unsampled { process, what: what.into(), cpu }).collect()
    }
}

fn key(thread: &ThreadCpu) -> (ThreadId, u64) {
    ((thread.process, thread.thread), thread.began)
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Pattern;

    use super::*;

    const RULES: &[ThreadRule] =
        &[ThreadRule::new(Pattern::Is("pool"), "the pool"), ThreadRule::new(Pattern::Starts("jit"), "the compiler")];

    fn thread(thread: u32, began: u64, name: &str, milliseconds: u64) -> ThreadCpu {
        ThreadCpu { process: 7, thread, began, name: name.to_owned(), used: Duration::from_millis(milliseconds) }
    }

    #[test]
    fn threads_are_grouped_by_name() {
        let before = [thread(8, 1, "pool", 500), thread(9, 1, "pool", 100), thread(10, 1, "jit 1", 50)];
        let after = vec![
            thread(7, 1, "pool", 9000),
            thread(8, 1, "pool", 800),
            // This thread is new, although it has the id of an earlier one.
            thread(9, 2, "pool", 60),
            thread(10, 1, "jit 1", 50),
            thread(11, 2, "jit 2", 40),
            thread(12, 1, "pool", 1000),
            thread(13, 1, "other", 1000),
        ];
        let found = Threads::new(&before, RULES).until(after, &BTreeSet::from([(7, 12)]));
        let of = |what: &'static str, milliseconds| Unsampled {
            process: 7,
            what: what.into(),
            cpu: Duration::from_millis(milliseconds),
        };
        assert_eq!(found, [of("the compiler", 40), of("the pool", 360)]);
    }
}
