//! A program that keeps running and turns each frame on its standard input into one on its standard output.
//!
//! A frame is its length in bytes as four bytes, little-endian, and the bytes. An answer is one byte, 0 for done and 1
//! for refused, and a frame: the result, or the reason for the refusal as text.

use std::{
    io,
    path::Path,
    process::{self, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tierup_codegen::Command;

use crate::{
    Error, Interrupts, Result,
    output::{Tail, each_line},
    process::{folder, not_started},
    tree::{Tree, ending},
    wait::{Wait, never_blocks},
};

/// A running program. Dropping it kills all of its processes.
#[derive(Debug)]
pub struct Frames {
    tree: Tree,
    stdin: process::ChildStdin,
    stdout: process::ChildStdout,
    log: Arc<Mutex<Tail>>,
    command: String,
    folder: std::path::PathBuf,
}

impl Frames {
    /// Starts the program.
    ///
    /// # Errors
    /// The program is missing or cannot be started.
    pub fn start(command: &Command, root: &Path) -> Result<Frames> {
        let folder = folder(command, root)?;
        let mut process = process::Command::new(&command.program);
        process.args(&command.arguments).current_dir(&folder);
        process.envs(command.environment.iter().map(|(name, value)| (name, value)));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = Tree::start(&mut process).map_err(|error| not_started(&command.program, error))?;
        let streams = (tree.leader.stdin.take(), tree.leader.stdout.take(), tree.leader.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(not_started(&command.program, io::Error::other("it has no streams")));
        };
        never_blocks(&stdin).map_err(|error| not_started(&command.program, error))?;
        let log = Arc::new(Mutex::new(Tail::default()));
        let to_log = Arc::clone(&log);
        each_line(stderr, move |line| to_log.lock().unwrap_or_else(PoisonError::into_inner).push(line));
        Ok(Frames { tree, stdin, stdout, log, command: command.to_string(), folder })
    }

    /// The program's result for `input`, or the reason why it refuses it. The program reads a whole frame before it
    /// answers, so that the two sides never wait for each other.
    ///
    /// # Errors
    /// The program exited, or did not take the input and answer within `patience`, and cannot be used any more.
    /// [`Error::Interrupted`] if the user interrupts.
    pub fn ask(
        &mut self,
        input: &[u8],
        patience: Duration,
        interrupts: &Interrupts,
    ) -> Result<std::result::Result<Vec<u8>, String>> {
        let wait = Wait::new(patience, Some(interrupts));
        self.exchange(input, wait).map_err(|source| {
            if wait.is_interrupted() {
                return Error::Interrupted;
            }
            let how = match self.tree.leader.try_wait() {
                Ok(Some(status)) => ending(status),
                _ => source.to_string(),
            };
            let output = self.log.lock().unwrap_or_else(PoisonError::into_inner).lines();
            Error::Failed { command: self.command.clone(), folder: self.folder.clone(), ending: how, output }
        })
    }

    fn exchange(&mut self, input: &[u8], wait: Wait<'_>) -> io::Result<std::result::Result<Vec<u8>, String>> {
        let length = u32::try_from(input.len()).map_err(|_| io::Error::other("the input is longer than 4 GiB"))?;
        wait.write(&mut self.stdin, &length.to_le_bytes())?;
        wait.write(&mut self.stdin, input)?;
        let head = wait.read(&mut self.stdout, 5)?;
        let content = wait.read(&mut self.stdout, u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize)?;
        match head[0] {
            0 => Ok(Ok(content)),
            1 => Ok(Err(String::from_utf8_lossy(&content).into_owned())),
            other => Err(io::Error::other(format!("its answer starts with {other}, which is neither 0 nor 1"))),
        }
    }
}
