//! HAProxy's runtime API: one command for each connection to its stats socket.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    thread,
    time::Duration,
};

use super::{HAPROXY, config};
use crate::{Error, Result, actuator::refused};

/// HAProxy answers within milliseconds, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(3);
/// HAProxy's answers have some kilobytes; anything larger is not from HAProxy.
const MOST: u64 = 4 << 20;

/// An answer without an end, such as that to `show events -w`.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) stream: UnixStream,
    /// The number of the process that answers.
    pub(super) process: u64,
    /// The bytes that were already read.
    pub(super) begun: Vec<u8>,
}

/// The command that asks for the process.
const INFO: &str = "show info";
/// Without it, `stats timeout` ends a connection on which nothing is logged for some seconds.
const NEVER_ENDS: &str = "set timeout cli 86400";
/// The time within which HAProxy begins the next command on the same connection.
const SOON: Duration = Duration::from_millis(50);

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

    /// Sends a command whose answer has no end, and returns once HAProxy is about to carry it out.
    pub(super) fn follow(&self, command: &str) -> Result<Followed> {
        let talk = || {
            let mut stream = self.send(&format!("{NEVER_ENDS};{INFO};{command}"))?;
            let (mut answer, mut buffer) = (Vec::new(), [0; 4 << 10]);
            loop {
                if let Some(end) = end_of_info(&answer) {
                    let begun = answer.split_off(end);
                    return Ok((stream, String::from_utf8_lossy(&answer).into_owned(), begun));
                }
                match stream.read(&mut buffer)? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => answer.extend_from_slice(&buffer[..count]),
                }
            }
        };
        let (stream, info, begun) = talk().map_err(Error::file("talk to HAProxy at", &self.socket))?;
        thread::sleep(SOON);
        Ok(Followed { stream, process: process_of(&info)?, begun })
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

    /// The number of the process that answers, which changes with a reload.
    pub(super) fn process(&self) -> Result<u64> {
        process_of(&self.ask(INFO)?)
    }

    /// Checks that the log's ring exists.
    pub(super) fn check_ring(&self) -> Result<()> {
        let answer = self.ask("show events")?;
        // For example `    tierup     : type=buffer, 0 dropped, tierup`.
        let is_ours = |line: &str| line.split_once(':').is_some_and(|(name, _)| name.trim() == config::RING);
        if answer.lines().any(is_ours) {
            return Ok(());
        }
        Err(Error::NotSetUp {
            program: HAPROXY,
            what: format!("it has no ring `{}`", config::RING),
            hint: "`tierup ramp --show-config` prints what its configuration needs".to_owned(),
        })
    }
}

fn process_of(info: &str) -> Result<u64> {
    let process = info.lines().find_map(|line| line.strip_prefix("Pid: ")?.trim().parse().ok());
    process.ok_or_else(|| refused(HAPROXY, INFO, info))
}

/// Where the answer to [`INFO`] ends, if it is complete: each answer ends with an empty line.
fn end_of_info(answer: &[u8]) -> Option<usize> {
    let begin = answer.windows(5).position(|word| word == b"Pid: ")?;
    let length = answer[begin..].windows(2).position(|two| two == b"\n\n")?;
    Some(begin + length + 2)
}
