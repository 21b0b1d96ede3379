//! How long processes waited for a processor. In: the kernel's counts for their threads, before and after. Out: of the time in
//! which a process could run, the part in which it ran.
//!
//! A sensor that samples by the clock counts a thread that waits like one that runs.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use tierup_subject::{ThreadCpu, threads_of};

/// What threads had run and waited at one time.
#[derive(Default)]
pub(super) struct Waiting {
    pids: Vec<u32>,
    threads: HashMap<(u32, u32, u64), (Duration, Duration)>,
}

impl Waiting {
    pub(super) fn of(pids: &[u32]) -> Waiting {
        let threads =
            threads_of(pids).into_iter().filter_map(|thread| Some((key(&thread), (thread.used, thread.waited?))));
        Waiting { pids: pids.to_owned(), threads: threads.collect() }
    }

    /// By process, from 0 to 1. Of threads that were there before, and only of processes that ran.
    pub(super) fn until_now(&self) -> BTreeMap<u32, f64> {
        self.until(threads_of(&self.pids))
    }

    fn until(&self, threads: Vec<ThreadCpu>) -> BTreeMap<u32, f64> {
        let mut sums: BTreeMap<u32, (Duration, Duration)> = BTreeMap::new();
        for thread in threads {
            let Some(((used, waited), now)) = self.threads.get(&key(&thread)).zip(thread.waited) else { continue };
            let sum = sums.entry(thread.process).or_default();
            sum.0 += thread.used.saturating_sub(*used);
            sum.1 += now.saturating_sub(*waited);
        }
        let ran = |(process, (used, waited)): (u32, (Duration, Duration))| {
            (!used.is_zero()).then(|| (process, used.as_secs_f64() / (used + waited).as_secs_f64()))
        };
        sums.into_iter().filter_map(ran).collect()
    }
}

fn key(thread: &ThreadCpu) -> (u32, u32, u64) {
    (thread.process, thread.thread, thread.began)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(process: u32, thread: u32, used: u64, waited: Option<u64>) -> ThreadCpu {
        let (used, waited) = (Duration::from_millis(used), waited.map(Duration::from_millis));
        ThreadCpu { process, thread, began: 1, name: String::new(), used, waited }
    }

    #[test]
    fn a_process_waits_as_its_threads_do() {
        let before =
            [thread(1, 1, 10, Some(5)), thread(1, 2, 0, Some(0)), thread(3, 3, 9, Some(9)), thread(4, 4, 1, None)];
        let threads = before.into_iter().filter_map(|one| Some((key(&one), (one.used, one.waited?))));
        let before = Waiting { pids: Vec::new(), threads: threads.collect() };
        // The third has done nothing; of the fourth, the kernel does not tell; the fifth is new.
        let now = vec![
            thread(1, 1, 30, Some(15)),
            thread(1, 2, 10, Some(0)),
            thread(3, 3, 9, Some(20)),
            thread(4, 4, 9, None),
            thread(5, 5, 9, Some(9)),
        ];
        assert_eq!(before.until(now), BTreeMap::from([(1, 0.75)]));
    }
}
