//! A worker's process, from its start to its end. Its standard input is a socket to the companion. Over it, the worker
//! reports that it is ready, and receives its connection; the socket closes when the process ends.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::handover;

pub struct Worker {
    child: Child,
    leash: UnixStream,
}

pub struct Start {
    pub worker: Worker,
    pub began: Instant,
    /// Whether the start follows a failed one without a success in between.
    pub is_retry: bool,
}

impl Worker {
    /// Creates the process.
    ///
    /// # Errors
    /// Why it cannot be created.
    pub fn spawn(program: &OsStr, abi: &OsStr) -> Result<Worker, String> {
        let spawned = UnixStream::pair().and_then(|(leash, theirs)| {
            let mut command = Command::new(executable(program));
            command.arg0(program).arg("--tierup-connection").arg(abi);
            command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
            Ok(Worker { child: command.spawn()?, leash })
        });
        spawned.map_err(|error| format!("{} could not be started: {error}", program.display()))
    }

    /// Reads the worker's report that it is ready. Call this when there is something to read.
    ///
    /// # Errors
    /// Why the worker did not start.
    pub fn started(mut self, program: &OsStr) -> Result<Worker, String> {
        if self.leash.read_exact(&mut [0]).is_ok() {
            return Ok(self);
        }
        let end = self.end().unwrap_or_else(|| "ended before it could be called".to_owned());
        Err(format!("{} {end}", program.display()))
    }

    /// Hands the connection over. Returns `false` if the worker has ended.
    pub fn serve(&self, connection: &UnixStream) -> bool {
        handover::give(&self.leash, connection).is_ok()
    }

    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Reports on standard error how the worker ended, unless it ended with success.
    pub fn report(self, program: &OsStr) {
        let process = self.child.id();
        if let Some(end) = self.end() {
            let _ = writeln!(io::stderr(), "{}: the worker {process} {end}", program.display());
        }
    }

    /// How a process ended that has closed its socket; `None` if it ended with success.
    fn end(mut self) -> Option<String> {
        // A process closes its files a moment before it can be waited for.
        for _ in 0..50 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return match (status.code(), status.signal()) {
                    (Some(0), _) => None,
                    (Some(code), _) => Some(format!("ended with exit code {code}: standard error has its last words")),
                    (None, signal) => Some(format!("was ended by signal {}", signal.unwrap_or_default())),
                };
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        Some("closed its standard input, so it was ended".to_owned())
    }
}

/// A host that keeps the program in memory, as Go does, passes a name and no path: this means the running program.
pub fn executable(program: &OsStr) -> &OsStr {
    let is_name = Path::new(program).components().count() == 1;
    if cfg!(target_os = "linux") && is_name { OsStr::new("/proc/self/exe") } else { program }
}

impl AsFd for Worker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.leash.as_fd()
    }
}
