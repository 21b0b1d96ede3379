//! A worker that is being started for a connection, and what its start ends in: a greeting or a refusal, which the client
//! reads as the first bytes of its connection.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where the hash of the interface would be: no interface has this one. The reason follows, until the end of the connection.
const REFUSAL: [u8; 8] = [0; 8];

/// A client's connection without a worker.
pub struct Waiting {
    pub stream: UnixStream,
    pub since: Instant,
}

impl Waiting {
    pub fn refuse(mut self, reason: &str) {
        // The client may be gone by now.
        let _ = self.stream.write_all(&[&REFUSAL, reason.as_bytes()].concat());
    }
}

/// A process whose standard output is a pipe to this one, which ends with it. Its standard input is the connection.
pub struct Worker {
    child: Child,
    leash: ChildStdout,
}

pub struct Start {
    pub client: Waiting,
    pub began: Instant,
    worker: Worker,
}

impl Start {
    /// Creates the process.
    ///
    /// # Errors
    /// The client, and why there is no process.
    pub fn begin(client: Waiting, program: &OsStr, abi: &OsStr) -> Result<Start, (Waiting, String)> {
        let spawned = client.stream.try_clone().and_then(|stream| {
            let mut command = Command::new(program);
            command.arg("--tierup-connection").arg(abi).stdin(OwnedFd::from(stream)).stdout(Stdio::piped());
            command.spawn()
        });
        let error = match spawned {
            Ok(mut child) => match child.stdout.take() {
                Some(leash) => return Ok(Start { client, began: Instant::now(), worker: Worker { child, leash } }),
                None => io::Error::other("it has no standard output"),
            },
            Err(error) => error,
        };
        Err((client, format!("{} could not be started: {error}", program.display())))
    }

    /// Reads the hash of the interface, which a worker writes when it can be called, and passes it on to the client. To be
    /// called when there is something to read.
    ///
    /// # Errors
    /// The client, and why its worker cannot be called.
    pub fn greet(mut self, program: &OsStr) -> Result<Worker, (Waiting, String)> {
        let mut greeting = [0; 8];
        if self.worker.leash.read_exact(&mut greeting).is_err() {
            let end = self.worker.end().unwrap_or_else(|| "ended before it could be called".to_owned());
            return Err((self.client, format!("{} {end}", program.display())));
        }
        let _ = self.client.stream.write_all(&greeting);
        Ok(self.worker)
    }

    /// Ends a start that nobody waits for, or that takes too long.
    pub fn give_up(self) -> Waiting {
        self.worker.kill();
        self.client
    }
}

impl Worker {
    /// Says on standard error how it ended, unless it ended with its connection.
    pub fn report(self, program: &OsStr) {
        let process = self.child.id();
        if let Some(end) = self.end() {
            let _ = writeln!(io::stderr(), "{}: the worker {process} {end}", program.display());
        }
    }

    fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// How a process ended that has closed its output; nothing for one that ended with success.
    fn end(mut self) -> Option<String> {
        // A process that ends closes its files a moment before it can be waited for.
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
        Some("closed its output, so it was ended".to_owned())
    }
}

impl AsFd for Worker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.leash.as_fd()
    }
}

impl AsFd for Start {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.worker.as_fd()
    }
}
