//! On Unix, a tree is a process group; on Linux, it also has every marked process.

use std::{
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, kill_process};

use super::{Members, Signal};

const POLL: Duration = Duration::from_millis(50);

/// A started program and its descendants. Dropping the tree kills all processes that still run.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) leader: Child,
    group: Pid,
    mark: String,
    /// The members found so far. After a member's parent has ended, nothing else may tell that it belongs to the tree.
    members: Mutex<Members>,
    /// Whether the processes that still run may go on after the drop.
    released: bool,
}

impl Tree {
    pub(crate) fn start(command: &mut Command) -> io::Result<Tree> {
        let mark = super::mark(command);
        let leader = command.process_group(0).spawn()?;
        let group = Pid::from_child(&leader);
        let members = Mutex::new(Members::new(group, &mark));
        Ok(Tree { leader, group, mark, members, released: false })
    }

    /// A new search for the tree's processes, for another watcher.
    pub(crate) fn members(&self) -> Members {
        Members::new(self.group, &self.mark)
    }

    /// Finds all processes that run now, so that they are known after their parents have ended.
    pub(crate) fn remember(&self) {
        self.look_up();
    }

    fn look_up(&self) -> Vec<Pid> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner).look_up()
    }

    /// Asks only the leader to exit: a cluster's primary knows best in which order its workers should exit.
    pub(crate) fn ask_leader(&mut self, signal: Signal) {
        if matches!(self.leader.try_wait(), Ok(None)) {
            self.remember();
            let _ = kill_process(self.group, number(signal));
        }
    }

    /// Asks all processes to exit.
    pub(crate) fn ask_all(&self, signal: Signal) {
        self.signal_all(number(signal));
    }

    /// Waits until no process of the tree runs; `false` if that takes longer than `time`.
    pub(crate) fn wait_all(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            // A leader that exited is a zombie until it is waited for, and a zombie keeps its group alive.
            let leader_ended = !matches!(self.leader.try_wait(), Ok(None));
            if leader_ended && !self.runs() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(POLL);
        }
    }

    /// Kills all processes now. Members are looked up again until none is left, as one may just have started another.
    pub(crate) fn kill_all(&mut self) {
        for _ in 0..50 {
            self.signal_all(rustix::process::Signal::KILL);
            if self.wait_all(Duration::from_millis(100)) {
                return;
            }
        }
    }

    /// Releases the tree: processes that still run are not ended.
    pub(crate) fn release(&mut self) {
        self.released = true;
    }

    #[cfg(target_os = "linux")]
    fn signal_all(&self, signal: rustix::process::Signal) {
        for pid in self.look_up() {
            let _ = kill_process(pid, signal);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn signal_all(&self, signal: rustix::process::Signal) {
        let _ = rustix::process::kill_process_group(self.group, signal);
    }

    #[cfg(target_os = "linux")]
    fn runs(&self) -> bool {
        !self.look_up().is_empty()
    }

    #[cfg(not(target_os = "linux"))]
    fn runs(&self) -> bool {
        rustix::process::test_kill_process_group(self.group).is_ok()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.released {
            self.kill_all();
        }
    }
}

/// How a program exited, in words.
pub(crate) fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

fn number(signal: Signal) -> rustix::process::Signal {
    match signal {
        Signal::Interrupt => rustix::process::Signal::INT,
        Signal::Terminate => rustix::process::Signal::TERM,
    }
}
