//! HAProxy's runtime API: one command for each connection to its stats socket.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

use super::{HAPROXY, config, shortened};
use crate::{Error, Result};

/// HAProxy answers within milliseconds, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(3);
/// Answers are some kilobytes; more is not HAProxy's.
const MOST: u64 = 4 << 20;

#[derive(Debug)]
pub(super) struct Runtime {
    socket: PathBuf,
}

impl Runtime {
    pub(super) fn new(socket: PathBuf) -> Runtime {
        Runtime { socket }
    }

    /// The answer to a command.
    pub(super) fn ask(&self, command: &str) -> Result<String> {
        let talk = || {
            let stream = self.send(command)?;
            let mut answer = Vec::new();
            (&stream).take(MOST).read_to_end(&mut answer)?;
            Ok(String::from_utf8_lossy(&answer).into_owned())
        };
        talk().map_err(Error::file("talk to HAProxy at", &self.socket))
    }

    /// Sends a command whose answer does not end.
    pub(super) fn follow(&self, command: &str) -> Result<UnixStream> {
        self.send(command).map_err(Error::file("talk to HAProxy at", &self.socket))
    }

    pub(super) fn failed(&self, source: io::Error) -> Error {
        Error::file("read HAProxy's log at", &self.socket)(source)
    }

    fn send(&self, command: &str) -> io::Result<UnixStream> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(format!("{command}\n").as_bytes())?;
        Ok(stream)
    }

    /// The process that answers: after a reload it is another one.
    pub(super) fn process(&self) -> Result<u64> {
        let answer = self.ask("show info")?;
        let process = answer.lines().find_map(|line| line.strip_prefix("Pid: ")?.trim().parse().ok());
        process.ok_or_else(|| Error::Refused { program: HAPROXY, command: "show info", answer: shortened(&answer) })
    }

    /// How many lines the ring of the log has lost, as its reader was too slow.
    pub(super) fn lost(&self) -> Result<u64> {
        let answer = self.ask("show events")?;
        // `    tierup     : type=buffer, 0 dropped, tierup`
        let of_ring = |line: &str| {
            let (name, rest) = line.split_once(':')?;
            let (_, count) = rest.split_once(", ").filter(|_| name.trim() == config::RING)?;
            count.split_once(" dropped")?.0.trim().parse().ok()
        };
        answer.lines().find_map(of_ring).ok_or_else(|| Error::NotSetUp {
            program: HAPROXY,
            what: format!("it has no ring `{}`", config::RING),
            hint: "`tierup ramp --show-config` prints what its configuration needs".to_owned(),
        })
    }
}
