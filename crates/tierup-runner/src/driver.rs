//! A host's driver: a program in the host's language that calls every variant on request (`docs/driver.md`).

use std::{
    fmt::Display,
    fs::File,
    io,
    os::fd::{AsFd as _, OwnedFd},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use crate::{
    Error, Interrupts, Result,
    memory::{MemoryWatch, allowance},
    process::{folder, not_started},
    tree::{Tree, ending},
    wait::{Wait, never_blocks},
};
use command_fds::{CommandFdExt as _, FdMapping};

/// The driver's requests arrive here, and it answers on the next: its standard streams belong to the user's code.
const REQUESTS: i32 = 3;
const ANSWERS: i32 = 4;

/// A running driver. Dropping it kills all of its processes.
#[derive(Debug)]
pub struct Driver {
    tree: Tree,
    memory: MemoryWatch,
    requests: File,
    answers: File,
    command: String,
    /// Whether it has answered yet. Before its first answer it may still be compiling itself.
    is_started: bool,
}

/// How long a driver may take to start. In some languages, this includes compiling it and the server's own functions.
const START: Duration = Duration::from_secs(300);
/// The longest answer that is read, in bytes: tierup holds several copies of it in memory.
const LONGEST: u32 = 1 << 30;
/// A row that no driver knows. Every driver answers a call of it as soon as it has started.
const NO_ROW: &str = "ready";

/// A request to a driver.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// A row that the driver knows: a host's row, the only row of a driver without a host, or one of those for tests.
    pub row: &'a str,
    /// The function's index in `export`.
    pub function: u32,
    /// How often to repeat the call. The answer is that of the last repeat.
    pub repeat: u32,
    /// The encoded arguments.
    pub arguments: &'a [u8],
    /// How long to wait for the answer.
    pub patience: Duration,
}

/// A driver's answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAnswer {
    pub ending: CallEnding,
    /// The time for all repeats together, measured in the host.
    pub elapsed: Duration,
}

/// How a call ended, as the driver reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEnding {
    /// The value, encoded.
    Ok(Vec<u8>),
    /// The function's own error.
    Error(String),
    Panic(String),
    /// The host refused the arguments.
    Refused(String),
    /// The variant did not load, or was lost.
    Lost(String),
}

impl Call<'_> {
    /// The request, which begins with its length.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = Vec::with_capacity(self.row.len() + self.arguments.len() + 20);
        frame.extend_from_slice(&[0; 4]);
        put(self.row.as_bytes(), &mut frame);
        frame.extend_from_slice(&self.function.to_le_bytes());
        frame.extend_from_slice(&self.repeat.to_le_bytes());
        put(self.arguments, &mut frame);
        let length = frame.len() as u32 - 4;
        frame[..4].copy_from_slice(&length.to_le_bytes());
        frame
    }
}

impl Driver {
    /// Starts a driver, which is ended if it takes more than half of the free memory.
    ///
    /// # Errors
    /// The program is missing or cannot be started.
    pub fn start(command: &tierup_codegen::Command, root: &Path, environment: &[(String, String)]) -> Result<Driver> {
        Driver::start_within(allowance(), command, root, environment)
    }

    /// Does the same with a limit for the memory of the driver and its descendants, in bytes.
    ///
    /// # Errors
    /// As [`Driver::start`].
    pub fn start_within(
        memory: u64,
        command: &tierup_codegen::Command,
        root: &Path,
        environment: &[(String, String)],
    ) -> Result<Driver> {
        let program = &command.program;
        let start_error = |source| not_started(program, source);
        let (their_requests, requests) = pipe().map_err(start_error)?;
        let (answers, their_answers) = pipe().map_err(start_error)?;
        never_blocks(&requests).map_err(start_error)?;
        let mut process = Command::new(program);
        process.args(&command.arguments).current_dir(folder(command, root)?).stdin(Stdio::null());
        // tierup's standard output is for data, so the user's code writes to standard error instead.
        process.stdout(io::stderr().as_fd().try_clone_to_owned().map_err(start_error)?);
        process.envs(command.environment.iter().map(|(name, value)| (name, value)));
        process.envs(environment.iter().map(|(name, value)| (name, value)));
        process
            .fd_mappings(vec![
                FdMapping { parent_fd: their_requests, child_fd: REQUESTS },
                FdMapping { parent_fd: their_answers, child_fd: ANSWERS },
            ])
            .map_err(|collision| start_error(io::Error::other(collision)))?;
        let tree = Tree::start(&mut process).map_err(start_error)?;
        Ok(Driver {
            memory: MemoryWatch::start(tree.members(), memory),
            tree,
            requests: requests.into(),
            answers: answers.into(),
            command: command.to_string(),
            is_started: false,
        })
    }

    /// Makes one call `repeat` times in a row, and returns the last answer.
    ///
    /// # Errors
    /// The driver ended, or did not answer within `patience`.
    pub fn call(
        &mut self,
        row: &(impl Display + ?Sized),
        function: u32,
        repeat: u32,
        arguments: &[u8],
        patience: Duration,
    ) -> Result<CallAnswer> {
        let row = row.to_string();
        self.ask(&Call { row: &row, function, repeat, arguments, patience }, None)
    }

    /// Makes a call, but gives up at once if the user interrupts.
    ///
    /// # Errors
    /// The driver ended, or did not answer within the call's patience; or [`Error::Interrupted`].
    pub fn call_unless_interrupted(&mut self, call: &Call<'_>, interrupts: &Interrupts) -> Result<CallAnswer> {
        self.ask(call, Some(interrupts))
    }

    /// Makes a call. Its patience only covers the call; the driver's start has its own.
    fn ask(&mut self, call: &Call<'_>, interrupts: Option<&Interrupts>) -> Result<CallAnswer> {
        if !self.is_started {
            self.exchange(&Call { row: NO_ROW, function: 0, repeat: 1, arguments: &[], patience: START }, interrupts)?;
            self.is_started = true;
        }
        self.exchange(call, interrupts)
    }

    fn exchange(&mut self, call: &Call<'_>, interrupts: Option<&Interrupts>) -> Result<CallAnswer> {
        let wait = Wait::new(call.patience, interrupts);
        let frame = wait.write(&mut self.requests, &call.frame()).and_then(|()| {
            let length = wait.read(&mut self.answers, 4)?;
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            if length > LONGEST {
                return Err(io::Error::other("its answer is longer than 1 GiB"));
            }
            wait.read(&mut self.answers, length as usize)
        });
        if wait.is_interrupted() {
            return Err(Error::Interrupted);
        }
        let frame = frame.map_err(|source| self.gone(source))?;
        CallAnswer::parse(&frame).ok_or_else(|| self.gone(io::Error::other("its answer is not a valid frame")))
    }

    fn gone(&mut self, source: io::Error) -> Error {
        let ending = match (self.memory.exceeded(), self.tree.leader.try_wait()) {
            (Some(what), _) => format!("the call took {what}, and was ended"),
            (None, Ok(Some(status))) => format!("{source}: {}", ending(status)),
            (None, _) => source.to_string(),
        };
        Error::Driver { command: self.command.clone(), ending }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

fn put(content: &[u8], to: &mut Vec<u8>) {
    to.extend_from_slice(&(content.len() as u32).to_le_bytes());
    to.extend_from_slice(content);
}

impl CallAnswer {
    /// Reads the outcome, the nanoseconds, and the value's bytes or a text: an answer without its length.
    pub fn parse(frame: &[u8]) -> Option<CallAnswer> {
        let (&outcome, rest) = frame.split_first()?;
        let (nanoseconds, rest) = rest.split_first_chunk::<8>()?;
        let (length, content) = rest.split_first_chunk::<4>()?;
        if content.len() != u32::from_le_bytes(*length) as usize {
            return None;
        }
        let text = || String::from_utf8_lossy(content).into_owned();
        let ending = match outcome {
            0 => CallEnding::Ok(content.to_vec()),
            1 => CallEnding::Error(text()),
            2 => CallEnding::Panic(text()),
            3 => CallEnding::Refused(text()),
            4 => CallEnding::Lost(text()),
            _ => return None,
        };
        Some(CallAnswer { ending, elapsed: Duration::from_nanos(u64::from_le_bytes(*nanoseconds)) })
    }
}
