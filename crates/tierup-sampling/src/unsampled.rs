//! The CPU of threads that a sensor never samples, such as those of libuv in Node. In: the kernel's counts for each thread
//! before and after a block, and the sensor's names of such threads. Out: what each kind of them used.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use tierup_codegen::{Sensor, ThreadRule};
use tierup_profile::{Profile, Sample, fits};
use tierup_subject::{ThreadCpu, threads_of};

/// A thread's process and id.
pub(crate) type ThreadId = (u32, u32);

/// What the threads of some processes had used at one time.
pub(crate) struct Threads {
    used: HashMap<(ThreadId, u64), Duration>,
    rules: &'static [ThreadRule],
}

/// CPU of threads of one kind in one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsampled {
    pub process: u32,
    /// [`ThreadRule::what`].
    pub what: &'static str,
    pub cpu: Duration,
}

impl Threads {
    /// Now. Nothing is read if the sensor has no such threads.
    pub(crate) fn of(pids: &[u32], sensor: &Sensor) -> Threads {
        let rules = sensor.unsampled;
        let threads = if rules.is_empty() { Vec::new() } else { threads_of(pids) };
        let used = threads.into_iter().map(|thread| (key(&thread), thread.used));
        Threads { used: used.collect(), rules }
    }

    /// What they have used since, and threads that have begun since; without those that are sampled.
    pub(crate) fn until_now(&self, pids: &[u32], sampled: &BTreeSet<ThreadId>) -> Vec<Unsampled> {
        let threads = if self.rules.is_empty() { Vec::new() } else { threads_of(pids) };
        self.until(threads, sampled)
    }

    fn until(&self, threads: Vec<ThreadCpu>, sampled: &BTreeSet<ThreadId>) -> Vec<Unsampled> {
        let mut sums: BTreeMap<(u32, &'static str), Duration> = BTreeMap::new();
        // The first thread of a process, which has its id, is one that every sensor samples.
        let is_sampled =
            |thread: &ThreadCpu| thread.thread == thread.process || sampled.contains(&(thread.process, thread.thread));
        for thread in threads.into_iter().filter(|thread| !is_sampled(thread)) {
            let Some(rule) = self.rules.iter().find(|rule| fits(rule.name, &thread.name)) else { continue };
            let before = self.used.get(&key(&thread)).copied().unwrap_or_default();
            *sums.entry((thread.process, rule.what)).or_default() += thread.used.saturating_sub(before);
        }
        let sums = sums.into_iter().filter(|(_, cpu)| !cpu.is_zero());
        sums.map(|((process, what), cpu)| Unsampled { process, what, cpu }).collect()
    }
}

fn key(thread: &ThreadCpu) -> (ThreadId, u64) {
    ((thread.process, thread.thread), thread.began)
}

/// Those of processes that are sampled: the threads of others are not of the sensor's kinds.
pub(crate) fn of_sampled<'a>(unsampled: &'a [Unsampled], sampled: &BTreeSet<u32>) -> Vec<&'a Unsampled> {
    unsampled.iter().filter(|one| sampled.contains(&one.process)).collect()
}

/// Adds them to the profile of their block.
pub(crate) fn add(profile: &mut Profile, unsampled: &[&Unsampled]) {
    for Unsampled { process, what, cpu } in unsampled {
        let stack = profile.unsampled(what);
        profile.add(Sample { stack, weight: cpu.as_secs_f64(), block: 0, process: *process, thread: 0 });
    }
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Pattern;
    use tierup_profile::rank;

    use super::*;

    const RULES: &[ThreadRule] =
        &[ThreadRule::new(Pattern::Is("pool"), "the pool"), ThreadRule::new(Pattern::Starts("jit"), "the compiler")];

    fn thread(thread: u32, began: u64, name: &str, milliseconds: u64) -> ThreadCpu {
        ThreadCpu { process: 7, thread, began, name: name.to_owned(), used: Duration::from_millis(milliseconds) }
    }

    #[test]
    fn threads_count_by_name_what_they_have_used_since() {
        let before = [thread(8, 1, "pool", 500), thread(9, 1, "pool", 100), thread(10, 1, "jit 1", 50)];
        let used = before.iter().map(|thread| (key(thread), thread.used)).collect();
        let after = vec![
            thread(7, 1, "pool", 9000),
            thread(8, 1, "pool", 800),
            // Its id was given again.
            thread(9, 2, "pool", 60),
            thread(10, 1, "jit 1", 50),
            thread(11, 2, "jit 2", 40),
            thread(12, 1, "pool", 1000),
            thread(13, 1, "other", 1000),
        ];
        let found = Threads { used, rules: RULES }.until(after, &BTreeSet::from([(7, 12)]));
        let of = |what, milliseconds| Unsampled { process: 7, what, cpu: Duration::from_millis(milliseconds) };
        assert_eq!(found, [of("the compiler", 40), of("the pool", 360)]);

        let mut profile = Profile::default();
        let elsewhere = Unsampled { process: 5, ..of("the pool", 1000) };
        add(&mut profile, &of_sampled(&[found, vec![elsewhere]].concat(), &BTreeSet::from([7])));
        profile.set_cpu(0, 0.8);
        let ranking = rank(&profile);
        assert!((profile.busy() - 0.4).abs() < 1e-9 && ranking.sampled == 0.0 && ranking.functions.is_empty());
        assert_eq!(ranking.rest.len(), 3, "two kinds of threads, and what is not seen");
    }
}
