//! `notify` of `[rollout]`: an operator's command that gets each decision as one JSON object on its standard input.
//!
//! It runs on its own thread, for one decision after the other. The judge never waits for it: decisions wait in a short
//! queue, which drops the oldest when it is full.

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

/// How long the command may take for one decision, and for all remaining ones at the end.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most decisions that wait for the command.
const MOST: usize = 16;
/// How many bytes of the command's output are kept for the operator.
const KEPT: u64 = 16 << 10;
/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// How many decisions were told, failed or were dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    pub done: u64,
    /// The command was missing, failed or took too long.
    pub failed: u64,
    /// There were more decisions than the command could take.
    pub dropped: u64,
}

/// Runs the command. Dropping it kills the command and its child processes.
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
    /// Set at the end: no decision is told any more, and the running command is killed.
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

    /// Waits for the next decision; `None` at the end.
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
    /// Runs `command` in `folder`.
    ///
    /// # Errors
    /// If the system has no threads left.
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
        // Values of this type can always be written as JSON.
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

    /// Why the command last failed. Each failure is returned once.
    pub fn trouble(&self) -> Option<String> {
        self.shared.queue().trouble.take()
    }

    /// Gives the command some seconds for the rest, unless the operator `is_hurried`. Returns the counts.
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
        // The lock ensures that the thread either looks later, or already waits and is woken.
        let queue = self.shared.queue();
        self.shared.ends.store(true, Relaxed);
        drop(queue);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, there is nothing to add.
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
    fn decisions_are_told_in_order_and_all_before_the_end() {
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
    fn a_hanging_command_blocks_nothing_and_is_killed_with_its_children() {
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
        // A killed process stays in the process table until its parent waits for it.
        until("its child has ended", || fs::read_to_string(&ended).map_or(true, |stat| stat.contains(") Z ")));
    }

    #[test]
    fn a_failing_command_is_reported_and_runs_again() {
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
