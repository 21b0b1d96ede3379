//! How long processes waited for a processor that the kernel had taken away. In: the kernel's counts for their threads, before and
//! after. Out: of the time in which a process ran or waited so, the part in which it ran.
//!
//! A sensor that samples by the clock counts a thread that waits like one that runs, if it holds the runtime's lock meanwhile. A
//! thread that has blocked had let the lock go, so its wait for a processor afterwards does not count. The kernel does not tell the two
//! kinds of waits apart, only how often each came: all are taken to be equally long.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use tierup_subject::{ThreadCpu, ThreadWaits, threads_of};

/// What threads had run and waited at one time.
#[derive(Default)]
pub(super) struct Waiting {
    pids: Vec<u32>,
    threads: HashMap<(u32, u32, u64), (Duration, ThreadWaits)>,
}

/// What the threads of a process did meanwhile.
#[derive(Default)]
struct Sum {
    ran: Duration,
    waited: Duration,
    after_blocking: u64,
    after_preemption: u64,
}

impl Waiting {
    pub(super) fn of(pids: &[u32]) -> Waiting {
        Waiting::at(pids, threads_of(pids))
    }

    fn at(pids: &[u32], threads: Vec<ThreadCpu>) -> Waiting {
        let threads = threads.into_iter().filter_map(|thread| Some((key(&thread), (thread.used, thread.waits?))));
        Waiting { pids: pids.to_owned(), threads: threads.collect() }
    }

    /// By process, from 0 to 1. Of threads that were there before, and only of processes that ran.
    pub(super) fn until_now(&self) -> BTreeMap<u32, f64> {
        self.until(threads_of(&self.pids))
    }

    fn until(&self, threads: Vec<ThreadCpu>) -> BTreeMap<u32, f64> {
        let mut sums: BTreeMap<u32, Sum> = BTreeMap::new();
        for thread in threads {
            let Some(((used, before), now)) = self.threads.get(&key(&thread)).zip(thread.waits) else { continue };
            let sum = sums.entry(thread.process).or_default();
            sum.ran += thread.used.saturating_sub(*used);
            sum.waited += now.waited.saturating_sub(before.waited);
            sum.after_blocking += now.after_blocking.saturating_sub(before.after_blocking);
            sum.after_preemption += now.after_preemption.saturating_sub(before.after_preemption);
        }
        sums.into_iter().filter_map(|(process, sum)| Some((process, sum.part()?))).collect()
    }
}

impl Sum {
    fn part(&self) -> Option<f64> {
        let waits = (self.after_blocking + self.after_preemption).max(1) as f64;
        let kept = self.waited.as_secs_f64() * self.after_preemption as f64 / waits;
        let ran = self.ran.as_secs_f64();
        (ran > 0.0).then(|| ran / (ran + kept))
    }
}

fn key(thread: &ThreadCpu) -> (u32, u32, u64) {
    (thread.process, thread.thread, thread.began)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(process: u32, thread: u32, used: u64, waits: Option<(u64, u64, u64)>) -> ThreadCpu {
        let waits = waits.map(|(waited, after_blocking, after_preemption)| ThreadWaits {
            waited: Duration::from_millis(waited),
            after_blocking,
            after_preemption,
        });
        ThreadCpu { process, thread, began: 1, name: String::new(), used: Duration::from_millis(used), waits }
    }

    #[test]
    fn a_process_waits_as_its_threads_do() {
        let none = Some((0, 0, 0));
        let before = vec![
            thread(1, 1, 10, Some((5, 1, 1))),
            thread(1, 2, 0, none),
            thread(3, 3, 9, none),
            thread(4, 4, 1, None),
        ];
        // The third has done nothing; of the fourth, the kernel does not tell; the fifth is new.
        let now = vec![
            thread(1, 1, 30, Some((25, 2, 2))),
            thread(1, 2, 10, none),
            thread(3, 3, 9, Some((20, 1, 1))),
            thread(4, 4, 9, None),
            thread(5, 5, 9, none),
        ];
        assert_eq!(Waiting::at(&[], before).until(now), BTreeMap::from([(1, 0.75)]));
    }
}
