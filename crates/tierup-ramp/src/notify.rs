//! `notify` of `[rollout]`: a command of the operator's that hears of each decision, as one JSON object on its standard input.
//!
//! It runs on a thread of its own, one decision after the other. The judge never waits for it: a short queue holds what is
//! to be told, and the oldest is dropped from one that is full.

use std::{
    collections::VecDeque,
    io,
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tierup_codegen::Command;
use tierup_runner::feed_until;

use crate::Decided;

/// How long the command may take for one decision, and at the end for all that are left.
const PATIENCE: Duration = Duration::from_secs(10);
/// Decisions that wait for the command.
const MOST: usize = 16;
/// What is kept of its output for the operator, in bytes.
const KEPT: u64 = 16 << 10;
/// Between two looks at the end.
const LOOK: Duration = Duration::from_millis(50);

/// What became of decisions, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    pub done: u64,
    /// The command is missing, failed or took too long.
    pub failed: u64,
    /// More decisions came than the command could take.
    pub dropped: u64,
}

/// Runs the command. Dropping it kills the command, with all that it started.
#[derive(Debug)]
pub struct Notifier {
    shared: Arc<Notices>,
    patience: Duration,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Notices {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Nothing is told any more, and what runs is killed.
    ends: AtomicBool,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<String>,
    runs: bool,
    told: Told,
    trouble: Option<String>,
}

impl Notices {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next decision; `None` at the end.
    fn next(&self) -> Option<String> {
        let is_idle = |queue: &mut Queue| queue.waiting.is_empty() && !self.ends.load(Relaxed);
        let waited = self.changed.wait_while(self.queue(), is_idle);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
        let next = if self.ends.load(Relaxed) { None } else { queue.waiting.pop_front() };
        queue.runs = next.is_some();
        next
    }
}

impl Notifier {
    /// `command` runs in `folder`.
    ///
    /// # Errors
    /// The system has no threads left.
    pub fn start(command: Command, folder: PathBuf) -> io::Result<Notifier> {
        Notifier::patient(command, folder, PATIENCE)
    }

    fn patient(command: Command, folder: PathBuf, patience: Duration) -> io::Result<Notifier> {
        let shared = Arc::<Notices>::default();
        let of_thread = Arc::clone(&shared);
        let tell = move || {
            while let Some(text) = of_thread.next() {
                let ends = || of_thread.ends.load(Relaxed);
                let told = feed_until(&command, &folder, text.as_bytes(), patience, KEPT, ends);
                let mut queue = of_thread.queue();
                queue.runs = false;
                match told {
                    Ok(_) => queue.told.done += 1,
                    Err(error) => {
                        queue.told.failed += 1;
                        queue.trouble = Some(error.to_string());
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("notify".into()).spawn(tell)?;
        Ok(Notifier { shared, patience, thread: Some(thread) })
    }

    /// Queues a decision, and never waits.
    pub fn tell(&self, decided: &Decided) {
        // Values of this type always have a JSON form.
        let Ok(text) = serde_json::to_string(decided) else { return };
        let mut queue = self.shared.queue();
        if queue.waiting.len() == MOST {
            queue.waiting.pop_front();
            queue.told.dropped += 1;
        }
        queue.waiting.push_back(text + "\n");
        drop(queue);
        self.shared.changed.notify_all();
    }

    pub fn told(&self) -> Told {
        self.shared.queue().told
    }

    /// Why the command failed, once for each time.
    pub fn trouble(&self) -> Option<String> {
        self.shared.queue().trouble.take()
    }

    /// Gives the command a few seconds for what is left, unless the operator `is_hurried`. Out: what became of all decisions.
    pub fn end(self, is_hurried: impl Fn() -> bool) -> Told {
        let began = Instant::now();
        let is_busy = || {
            let queue = self.shared.queue();
            queue.runs || !queue.waiting.is_empty()
        };
        while is_busy() && began.elapsed() < self.patience && !is_hurried() {
            thread::sleep(LOOK);
        }
        let shared = Arc::clone(&self.shared);
        drop(self);
        let queue = shared.queue();
        Told { dropped: queue.told.dropped + queue.waiting.len() as u64, ..queue.told }
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        // Under the lock: the thread either has not looked yet, or waits and is woken.
        let queue = self.shared.queue();
        self.shared.ends.store(true, Relaxed);
        drop(queue);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to say here.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::Action;

    fn decided(number: u64) -> Decided {
        let weight = "5%".parse().expect("a part");
        let (decision, reasons) = (Action::Advance, vec!["two\nlines".into()]);
        Decided { number, ramp: "3f2a9c01".into(), at: 1, generation: number, decision, weight, reasons }
    }

    fn start(folder: &Path, script: &str) -> Notifier {
        let command = Command::new("sh", ["-c", script]);
        Notifier::patient(command, folder.to_owned(), Duration::from_secs(3600)).expect("there are threads")
    }

    fn until(what: &str, mut is: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn decisions_are_told_in_their_order_and_the_last_one_before_the_end() {
        let folder = tempfile::tempdir().expect("there is room");
        let notifier = start(folder.path(), "cat >> told");
        for number in 1..=3 {
            notifier.tell(&decided(number));
        }
        assert_eq!(notifier.end(|| false), Told { done: 3, ..Told::default() });
        let told = fs::read_to_string(folder.path().join("told")).expect("it ran");
        let told: Vec<Decided> =
            told.lines().map(|line| serde_json::from_str(line).expect("one object a line")).collect();
        assert_eq!(told, [1, 2, 3].map(decided));
    }

    #[test]
    fn a_command_that_hangs_keeps_nobody_and_is_killed_with_its_children() {
        let folder = tempfile::tempdir().expect("there is room");
        let notifier = start(folder.path(), "cat > told; sleep 1000 & echo $! > new; mv new child; wait");
        notifier.tell(&decided(1));
        let child = folder.path().join("child");
        until("the command runs", || child.exists());
        for number in 2..MOST as u64 + 5 {
            notifier.tell(&decided(number));
        }
        assert_eq!(notifier.told(), Told { dropped: 3, ..Told::default() }, "the oldest that wait");
        let told = notifier.end(|| true);
        assert_eq!(told, Told { done: 0, failed: 1, dropped: 3 + MOST as u64 });
        let child = fs::read_to_string(child).expect("it ran");
        let ended = format!("/proc/{}/stat", child.trim());
        // A process that was killed remains until it is waited for.
        until("its child has ended", || fs::read_to_string(&ended).map_or(true, |stat| stat.contains(") Z ")));
    }

    #[test]
    fn a_command_that_fails_is_told_to_the_operator_and_runs_again() {
        let folder = tempfile::tempdir().expect("there is room");
        let notifier = start(folder.path(), "cat > told; echo no such room >&2; test -e fixed");
        notifier.tell(&decided(1));
        until("it failed", || notifier.told().failed == 1);
        let trouble = notifier.trouble().expect("it failed");
        assert!(trouble.contains("exit code 1"), "{trouble}");
        assert_eq!(notifier.trouble(), None, "once");
        fs::write(folder.path().join("fixed"), "").expect("there is room");
        notifier.tell(&decided(2));
        assert_eq!(notifier.end(|| false), Told { done: 1, failed: 1, dropped: 0 });
    }
}
