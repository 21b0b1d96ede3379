//! Errors of files, programs and servers. Every error names its path or program. As a failure of a command, it shows
//! the relevant part of the program's output, and the next step.

use std::{
    io,
    path::{Path, PathBuf},
};

use tierup_codegen::ToolProgram;
use tierup_diagnostic::{Failure, disk_is_full};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be read, written, …
    #[error("cannot {action} `{}`: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    /// A program is not installed, or not on `PATH`.
    #[error("the program `{program}` was not found")]
    Missing { program: String },
    /// A program is there but did not start.
    #[error("cannot start `{program}`: {source}")]
    Start { program: String, source: io::Error },
    /// A program ended with anything but exit code 0.
    #[error("`{command}` failed ({ending}) in {}", folder.display())]
    Failed {
        /// The command as a shell line.
        command: String,
        folder: PathBuf,
        /// Such as `exit code 101` or `signal 9`.
        ending: String,
        /// The last lines of both streams as they came, at most [`crate::output::KEPT`].
        output: Vec<String>,
    },
    /// A user's command, which tierup started, runs tierup for the same project, so that each would wait for the other.
    #[error("{holder} uses this project and has started this command, which cannot build it meanwhile")]
    HeldByParent { holder: String },
    /// Ctrl-C, or a signal to exit.
    #[error("interrupted")]
    Interrupted,
    /// A built file could not be converted.
    #[error("cannot convert `{}`: {reason}", from.display())]
    Convert { from: PathBuf, reason: String },
    /// A program that holds Wasm tools could not be built.
    #[error("{} cannot be built: {cause}", program.title)]
    NoWasmTool { program: &'static ToolProgram, cause: Box<Error> },
    #[error("port {port} is in use by another program")]
    PortInUse { port: u16 },
    /// A server ended before it answered.
    #[error("`{command}` ended before it answered on port {port} ({ending})")]
    EndedEarly { command: String, port: u16, ending: String, output: Vec<String> },
    /// A server took too long to answer.
    #[error("`{command}` did not answer on port {port}, the one in PORT, within {seconds} s")]
    Unanswered { command: String, port: u16, seconds: u64, output: Vec<String> },
    /// A program that should end at once did not, and was killed.
    #[error("`{command}` did not end within {seconds} s and was killed")]
    NeverEnded { command: String, seconds: u64, output: Vec<String> },
    /// A host's driver is gone or silent.
    #[error("the driver `{command}` failed: {ending}")]
    Driver { command: String, ending: String },
    /// A record exists, but it cannot be read.
    #[error("`{}` is damaged: {reason}", path.display())]
    Record { path: PathBuf, reason: String },
}

impl Error {
    /// For `map_err`: the action that failed and its path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    }

    /// Whether the disk is full, which is the only file error with its own next step. For another program's failure,
    /// only its output can tell.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Error::NoWasmTool { cause, .. } => cause.is_disk_full(),
            Error::Failed { output, .. } => output.iter().any(|line| line.contains("No space left on device")),
            error => disk_is_full(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let message = error.to_string();
        let failure = match &error {
            Error::Interrupted => return Failure::Interrupted,
            Error::Missing { program } => {
                return Failure::Missing { message, program: program.clone(), hint: None, otherwise: None };
            }
            Error::NoWasmTool { program, cause } => {
                let hint = format!(
                    "tierup builds {} once, for {}, with Rust 1.95 or newer and crates from the network; run `rustup update`, check the network, or build other variants: --tiers {}",
                    program.title, program.serves, program.others
                );
                let output = if let Error::Failed { output, .. } = &**cause { relevant(output) } else { Vec::new() };
                Failure::new(message).output(output).hint(hint)
            }
            Error::HeldByParent { .. } => Failure::usage(message).hint(
                "tierup builds before it starts a server: remove `tierup` from `start`, `prepare` and the scripts that they run",
            ),
            Error::Failed { output, .. } => Failure::new(message).output(relevant(output)),
            Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } | Error::NeverEnded { output, .. } => {
                Failure::new(message).output(last(output, 20))
            }
            Error::PortInUse { port } => Failure::new(message)
                .hint(format!("choose another port with --port, or stop the program that listens on {port}")),
            _ => Failure::new(message),
        };
        failure.maybe_hint(error.is_disk_full().then_some(Failure::FREE_SPACE)).caused_by(error)
    }
}

/// The relevant part of a build's output: from its first error on.
fn relevant(output: &[String]) -> Vec<String> {
    const MOST: usize = 60;
    let first = output.iter().position(|line| line.starts_with("error"));
    let Some(first) = first else { return last(output, 20) };
    let errors = &output[first..];
    let mut shown = errors[..errors.len().min(MOST)].to_vec();
    if errors.len() > MOST {
        shown.push(format!("… and {} more lines", errors.len() - MOST));
    }
    shown
}

fn last(output: &[String], count: usize) -> Vec<String> {
    output[output.len().saturating_sub(count)..].to_vec()
}
