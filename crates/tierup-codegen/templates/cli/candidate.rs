//! A child process that calls this program's functions for a comparison. It may hang, die or use up its memory limit.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::{fmt, fs};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::start::executable;

/// The most bytes of a call's arguments, and of its answer.
pub const LARGEST: usize = 64 << 10;

/// How long its start may take.
const START: Duration = Duration::from_secs(30);

/// When to look again at a process that has waited for a processor since the last look.
const NEXT_LOOK: Duration = Duration::from_millis(100);

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
        let mut call = Call::begin(self);
        let length = (4 + sample.arguments.len()) as u32;
        call.write_all(&[&length.to_le_bytes(), &sample.function.to_le_bytes(), &sample.arguments[..]].concat())?;
        let mut length = [0; 4];
        call.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LARGEST {
            return Ok(None);
        }
        let mut answer = vec![0; length];
        call.read_exact(&mut answer)?;
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

/// The connection during one call. The limit leaves out the time in which the process waited for a processor: beside a
/// busy server the lowest priority gets hardly any, which says nothing about the function.
struct Call<'a> {
    stream: &'a UnixStream,
    process: u32,
    limit: Duration,
    began: Instant,
    before: HashMap<OsString, Times>,
}

/// The times of a thread since it started, and what it does now.
#[derive(Clone, Copy, Default)]
struct Times {
    ran: Duration,
    /// For a processor. The present wait is not in it.
    waited: Duration,
    /// It runs or waits for a processor.
    is_runnable: bool,
}

impl Call<'_> {
    fn begin(candidate: &Candidate) -> Call<'_> {
        let Candidate { child, stream, limit } = candidate;
        Call { stream, process: child.id(), limit: *limit, began: Instant::now(), before: threads(child.id()) }
    }

    /// How long the call may still take, if it may.
    fn left(&self) -> Option<Duration> {
        let elapsed = self.began.elapsed();
        if let Some(left) = self.limit.checked_sub(elapsed).filter(|left| !left.is_zero()) {
            return Some(left);
        }
        let mut waited = Duration::ZERO;
        let mut is_waiting = false;
        for (thread, now) in threads(self.process) {
            let before = self.before.get(&thread).copied().unwrap_or_default();
            waited = waited.max(now.waited.saturating_sub(before.waited));
            is_waiting |= now.is_runnable && now.ran.saturating_sub(before.ran) < self.limit;
        }
        let left = self.limit.saturating_sub(elapsed.saturating_sub(waited));
        if left.is_zero() { is_waiting.then_some(NEXT_LOOK) } else { Some(left) }
    }

    fn until_late<T>(&self, mut action: impl FnMut(&UnixStream) -> io::Result<T>) -> io::Result<T> {
        loop {
            let left = self.left().ok_or(io::ErrorKind::TimedOut)?;
            self.stream.set_read_timeout(Some(left))?;
            self.stream.set_write_timeout(Some(left))?;
            match action(self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }
}

impl Read for Call<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.until_late(|mut stream| stream.read(buffer))
    }
}

impl Write for Call<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_late(|mut stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The process's threads. Empty where the system does not say
/// (Linux: `/proc/PID/task/TID/schedstat`, `Documentation/scheduler/sched-stats.rst`).
fn threads(process: u32) -> HashMap<OsString, Times> {
    let times = |thread: &fs::DirEntry| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let mut nanoseconds = text.split(' ').map_while(|number| number.parse().ok()).map(Duration::from_nanos);
        let (ran, waited) = (nanoseconds.next()?, nanoseconds.next()?);
        let state = fs::read_to_string(thread.path().join("stat")).ok()?;
        Some(Times { ran, waited, is_runnable: state.rsplit_once(") ")?.1.starts_with('R') })
    };
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| Some((thread.file_name(), times(&thread)?))).collect()
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
