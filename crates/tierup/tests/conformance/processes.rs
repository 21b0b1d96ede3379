//! The processes that a server's package has started: workers, the companion that starts them, programs of `1:spawn`.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::PATIENCE;

/// They have this folder in their environment.
pub(crate) struct Processes(pub(crate) PathBuf);

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Worker,
    /// Each process of the package's program.
    Any,
}

impl Processes {
    /// Those that live.
    pub(crate) fn of(&self, kind: Kind) -> Vec<Pid> {
        let folder = self.0.to_string_lossy();
        let has = |process: &str, file: &str, words: &str| {
            fs::read(format!("/proc/{process}/{file}")).is_ok_and(|text| String::from_utf8_lossy(&text).contains(words))
        };
        let is_of = |process: &str| match kind {
            // Only PHP and the BEAM have other names for them.
            Kind::Worker => ["\0--tierup-connection", "\0--tierup-worker"].iter().any(|it| has(process, "cmdline", it)),
            Kind::Any => has(process, "cmdline", "\0--tierup-"),
        };
        let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        // A process that has ended has no environment.
        let own = names.filter(|name| has(name, "environ", &folder) && is_of(name));
        own.filter_map(|name| Pid::from_raw(name.parse().ok()?)).collect()
    }

    /// Sends a signal to all of a kind. Returns how many there are.
    pub(crate) fn signal(&self, kind: Kind, signal: Signal) -> usize {
        self.of(kind).into_iter().filter(|process| kill_process(*process, signal).is_ok()).count()
    }

    /// Kills all of a kind that live now, and waits for their end: a worker that is still ending can get a call. Returns
    /// how many there were.
    pub(crate) fn kill(&self, kind: Kind) -> usize {
        let all = self.of(kind);
        self.kill_these(kind, &all);
        all.len()
    }

    fn kill_these(&self, kind: Kind, these: &[Pid]) {
        for process in these {
            let _ = kill_process(*process, Signal::KILL);
        }
        until("a killed process ends", || !self.of(kind).iter().any(|process| these.contains(process)));
    }
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
