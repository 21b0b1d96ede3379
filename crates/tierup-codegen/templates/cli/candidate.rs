//! A child process that calls this program's functions for a comparison. It may hang, die or use up its memory limit.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::start::executable;

/// The most bytes of a call's arguments, and of its answer.
pub const LARGEST: usize = 64 << 10;

/// How long its start may take.
const START: Duration = Duration::from_secs(30);

/// A call that the host has made and answered.
pub struct Sample {
    pub function: u32,
    pub arguments: Vec<u8>,
    /// The host's answer.
    pub control: Vec<u8>,
    /// Whether the values may be written to a file if the answers differ.
    pub may_be_kept: bool,
}

pub struct Candidate {
    child: Child,
    stream: UnixStream,
    limit: Duration,
}

/// Why there is no answer.
pub enum Unanswered {
    Late(Duration),
    /// The process ended, and how.
    Died(String),
    /// The answer is longer than [`LARGEST`].
    TooLarge,
}

impl Candidate {
    /// Starts the process. A call may take up to `limit`.
    pub fn start(limit: Duration) -> io::Result<Candidate> {
        let (stream, theirs) = UnixStream::pair()?;
        let program = std::env::args_os().next().unwrap_or_default();
        let mut command = Command::new(executable(&program));
        command.arg0(&program).arg("--tierup-worker").arg(format!("{:016x}", tierup_calls::ABI));
        // Its output about a copied call does not belong in the server's log.
        command.stdin(OwnedFd::from(theirs.try_clone()?)).stdout(OwnedFd::from(theirs)).stderr(Stdio::null());
        let mut candidate = Candidate { child: command.spawn()?, stream, limit };
        candidate.stream.set_read_timeout(Some(START))?;
        candidate.stream.read_exact(&mut [0; 8])?;
        candidate.stream.set_read_timeout(Some(limit))?;
        candidate.stream.set_write_timeout(Some(limit))?;
        Ok(candidate)
    }

    /// Calls the function, and returns the answer's bytes.
    ///
    /// # Errors
    /// Why there is no answer. The process cannot be used any further.
    pub fn call(&mut self, sample: &Sample) -> Result<Vec<u8>, Unanswered> {
        self.exchange(sample).map_err(|error| self.cause(&error))?.ok_or(Unanswered::TooLarge)
    }

    fn exchange(&mut self, sample: &Sample) -> io::Result<Option<Vec<u8>>> {
        let length = (4 + sample.arguments.len()) as u32;
        self.stream.write_all(&[&length.to_le_bytes(), &sample.function.to_le_bytes(), &sample.arguments[..]].concat())?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LARGEST {
            return Ok(None);
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(Some(answer))
    }

    fn cause(&mut self, error: &io::Error) -> Unanswered {
        if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
            return Unanswered::Late(self.limit);
        }
        // A process that has already ended keeps its exit status.
        let _ = self.child.kill();
        Unanswered::Died(match self.child.wait().map(|status| (status.code(), status.signal())) {
            Ok((Some(code), _)) => format!("ended with exit code {code}"),
            Ok((None, Some(signal))) => format!("was ended by signal {signal}"),
            _ => error.to_string(),
        })
    }
}

impl Drop for Candidate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Late(limit) => write!(f, "no answer within {} s", limit.as_secs_f64()),
            Unanswered::Died(how) => write!(f, "its process {how}"),
            Unanswered::TooLarge => write!(f, "its answer has more than {LARGEST} bytes"),
        }
    }
}
