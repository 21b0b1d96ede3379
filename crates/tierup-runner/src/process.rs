//! Runs a program to its end.

use std::{
    io,
    path::{Path, PathBuf},
    process::{self, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use tierup_codegen::Command;

use crate::{
    Error, Progress, Result,
    interrupt::Watch,
    output::{Tail, each_line, lines},
    tree::{Signal, Tree, ending},
};

/// How often a wait checks whether Ctrl-C was pressed.
const LOOK_UP: Duration = Duration::from_millis(100);
/// How long a program may take to exit after Ctrl-C.
const GRACE: Duration = Duration::from_secs(3);

/// Runs a command in `root`, or in the command's folder below it, with more variables in its environment. Reports each
/// line of both streams as it comes.
///
/// # Errors
/// The program is missing or fails, or the user interrupts: then all of its processes have been ended.
pub fn run(
    command: &Command,
    root: &Path,
    environment: &[(String, String)],
    progress: &mut dyn Progress,
) -> Result<()> {
    run_changed(command, root, progress, |process| {
        process.envs(environment.iter().map(|(name, value)| (name, value)));
    })
}

/// Does the same, without these variables of tierup's own environment.
///
/// # Errors
/// As [`run`].
pub fn run_without(command: &Command, root: &Path, variables: &[&str], progress: &mut dyn Progress) -> Result<()> {
    run_changed(command, root, progress, |process| {
        for name in variables {
            process.env_remove(name);
        }
    })
}

fn run_changed(
    command: &Command,
    root: &Path,
    progress: &mut dyn Progress,
    change: impl FnOnce(&mut process::Command),
) -> Result<()> {
    let folder = folder(command, root)?;
    let mut process = process::Command::new(&command.program);
    process.args(&command.arguments).current_dir(&folder).stdin(Stdio::null());
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    change(&mut process);
    process.envs(command.environment.iter().map(|(name, value)| (name, value)));

    let watch = Watch::new();
    let mut tree = Tree::start(&mut process).map_err(|error| not_started(&command.program, error))?;
    let (send, printed) = mpsc::channel();
    if let (Some(out), Some(err)) = (tree.leader.stdout.take(), tree.leader.stderr.take()) {
        let send_out = send.clone();
        each_line(out, move |line| drop(send_out.send(line)));
        each_line(err, move |line| drop(send.send(line)));
    }
    let mut tail = Tail::default();
    let mut show = |line: String| {
        progress.line(&line);
        tail.push(line);
    };

    let status = loop {
        match printed.recv_timeout(LOOK_UP) {
            Ok(line) => show(line),
            Err(RecvTimeoutError::Timeout) => {
                // The wait ends with the program: a daemon that it started may hold the pipes open for hours.
                if let Ok(Some(status)) = tree.leader.try_wait() {
                    break status;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                if let Some(status) = tree.leader.try_wait().map_err(|error| not_started(&command.program, error))? {
                    break status;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        if watch.arrived() > 0 {
            tree.ask_all(Signal::Interrupt);
            tree.wait_all(GRACE);
            // Processes that still run are killed when the tree is dropped.
            return Err(Error::Interrupted);
        }
    };
    printed.try_iter().for_each(show);
    // The signal may have arrived at the last moment, when the program had already ended.
    if watch.arrived() > 0 {
        return Err(Error::Interrupted);
    }
    tree.release();
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: command.to_string(), folder, ending: ending(status), output: tail.lines() })
}

/// The standard output of a program that exits at once, e.g. `node --version`.
///
/// # Errors
/// The program is missing or fails. The error has its standard error output.
pub fn capture(command: &Command, root: &Path) -> Result<String> {
    capture_with(command, root, &[])
}

/// Does the same, with more variables in the program's environment.
///
/// # Errors
/// As [`capture`].
pub fn capture_with(command: &Command, root: &Path, environment: &[(String, String)]) -> Result<String> {
    capture_without(command, root, environment, &[])
}

/// Does the same, without these variables of tierup's own environment.
///
/// # Errors
/// As [`capture`].
pub fn capture_without(
    command: &Command,
    root: &Path,
    environment: &[(String, String)],
    variables: &[&str],
) -> Result<String> {
    let folder = folder(command, root)?;
    let mut process = process::Command::new(&command.program);
    for name in variables {
        process.env_remove(name);
    }
    let output = process
        .args(&command.arguments)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .envs(command.environment.iter().map(|(name, value)| (name, value)))
        .output()
        .map_err(|error| not_started(&command.program, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = lines(&output.stderr);
    Err(Error::Failed { command: command.to_string(), folder, ending: ending(output.status), output: said })
}

/// The folder that a command runs in. This checks whether it exists, because the system reports the same error for a
/// missing folder and a missing program.
pub(crate) fn folder(command: &Command, root: &Path) -> Result<PathBuf> {
    // Joining an empty path would append a slash to the path in messages.
    let here = command.folder.as_os_str().is_empty();
    let folder = if here { root.to_owned() } else { root.join(&command.folder) };
    folder.read_dir().map_err(Error::file("enter the folder", &folder))?;
    Ok(folder)
}

pub(crate) fn not_started(program: &str, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::Missing { program: program.to_owned() },
        _ => Error::Start { program: program.to_owned(), source: error },
    }
}
