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
#[derive(Clone)]
pub(crate) struct Processes(pub(crate) PathBuf);

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Worker,
    Companion,
    /// A program of `1:spawn`, which makes one call.
    Call,
    /// Each process of the package's program.
    Any,
    /// The server's own.
    Server,
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
            Kind::Companion => {
                ["\0--tierup-companion", "\0--tierup-background"].iter().any(|it| has(process, "cmdline", it))
            }
            Kind::Call => has(process, "cmdline", "\0--tierup-call"),
            Kind::Any => has(process, "cmdline", "\0--tierup-"),
            Kind::Server => !has(process, "cmdline", "\0--tierup-"),
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
        self.kill_these(&all);
        all.len()
    }

    pub(crate) fn kill_these(&self, these: &[Pid]) {
        for process in these {
            let _ = kill_process(*process, Signal::KILL);
        }
        until("a killed process ends", || !these.iter().any(|process| lives(*process)));
    }

    /// How many files and connections the server has open.
    pub(crate) fn descriptors(&self) -> usize {
        let open =
            |process: Pid| fs::read_dir(format!("/proc/{}/fd", process.as_raw_nonzero())).map_or(0, Iterator::count);
        self.of(Kind::Server).into_iter().map(open).sum()
    }

    /// Waits until so many of a kind live.
    pub(crate) fn are(&self, count: usize, kind: Kind) {
        until(&format!("{count} processes"), || self.of(kind).len() == count);
    }
}

/// Whether any thread of a process lives. Its connections are open until then, and the first thread may end before the others.
fn lives(process: Pid) -> bool {
    let folder = format!("/proc/{}", process.as_raw_nonzero());
    let threads = fs::read_dir(format!("{folder}/task")).map_or(0, Iterator::count);
    threads > 1 || fs::read_to_string(format!("{folder}/stat")).is_ok_and(|text| !text.contains(") Z "))
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
