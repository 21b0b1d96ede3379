//! Runs a program that should exit soon. In: the command, and how long it may take. Out: nothing, or an error with its
//! output. The program has its own process group, so Ctrl-C does not reach it.

use std::{
    path::Path,
    process::{self, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;

use crate::{
    Error, Result,
    output::{KEPT, Tail, each_line},
    process::{folder, not_started},
    tree::{Tree, ending},
};

/// After so long without a line, tierup checks whether the program has exited.
const LOOK_UP: Duration = Duration::from_millis(100);
/// Pause between two checks after the pipes have closed.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs a command in `root`. If it still runs after `limit`, it is killed with all of its processes.
///
/// # Errors
/// The program is missing, fails or does not exit.
pub fn run_within(command: &Command, root: &Path, limit: Duration) -> Result<()> {
    let folder = folder(command, root)?;
    let mut process = process::Command::new(&command.program);
    process.args(&command.arguments).current_dir(&folder).stdin(Stdio::null());
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    process.envs(command.environment.iter().map(|(name, value)| (name, value)));

    let deadline = Instant::now() + limit;
    let mut tree = Tree::start(&mut process).map_err(|error| not_started(&command.program, error))?;
    // A program that prints faster than it is read has to wait.
    let (send, printed) = mpsc::sync_channel(KEPT);
    if let (Some(out), Some(err)) = (tree.leader.stdout.take(), tree.leader.stderr.take()) {
        let send_out = send.clone();
        each_line(out, move |line| drop(send_out.send(line)));
        each_line(err, move |line| drop(send.send(line)));
    }
    let mut tail = Tail::default();
    let status = loop {
        let is_silent = match printed.recv_timeout(LOOK_UP) {
            Ok(line) => {
                tail.push(line);
                false
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(PAUSE);
                true
            }
        };
        // A daemon that the program started may hold the pipes open.
        if is_silent
            && let Some(status) = tree.leader.try_wait().map_err(|error| not_started(&command.program, error))?
        {
            break status;
        }
        if Instant::now() >= deadline {
            tree.kill_all();
            // Dropping the tree must not try again: a process of another user cannot be killed.
            tree.release();
            let seconds = limit.as_secs();
            return Err(Error::NeverEnded { command: command.to_string(), seconds, output: tail.lines() });
        }
    };
    tree.release();
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: command.to_string(), folder, ending: ending(status), output: tail.lines() })
}
