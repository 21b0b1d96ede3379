//! Sampling by commands for each process of the server that runs a certain program.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use tierup_codegen::{Command, Executable};
use tierup_runner::{Error as RunnerError, capture};

use super::{Sampler, for_process, nobody_runs, read, running};
use crate::{Error, Part};

/// See [`Sampling::EachProcess`](tierup_codegen::Sampling::EachProcess).
pub(super) struct Commands<'a> {
    pub(super) start: &'a Command,
    pub(super) stop: &'a Command,
    pub(super) accepted: &'static str,
}

pub(super) struct EachProcess<'a> {
    of: Executable,
    commands: Commands<'a>,
    folder: PathBuf,
    /// The processes that are sampled.
    sampled: Vec<u32>,
    /// Processes that could not be sampled, with the reason.
    left_out: BTreeSet<String>,
}

impl<'a> EachProcess<'a> {
    pub(super) fn new(of: Executable, commands: Commands<'a>, folder: &Path) -> Self {
        EachProcess { of, commands, folder: folder.to_owned(), sampled: Vec::new(), left_out: BTreeSet::new() }
    }

    fn output(&self, pid: u32) -> PathBuf {
        self.folder.join(format!("profile-{pid}"))
    }

    fn run(&self, command: &Command, pid: u32) -> Result<(), RunnerError> {
        let command = for_process(command, pid, &self.output(pid));
        let printed = capture(&command, &self.folder)?;
        if printed.contains(self.commands.accepted) {
            return Ok(());
        }
        let output = printed.lines().map(str::to_owned).collect();
        let (ending, folder) = ("its output says so".to_owned(), self.folder.clone());
        Err(RunnerError::Failed { command: command.to_string(), folder, ending, output })
    }
}

impl Sampler for EachProcess<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        self.sampled.clear();
        let mut failure = None;
        for pid in running(self.of, pids) {
            match self.run(self.commands.start, pid) {
                Ok(()) => self.sampled.push(pid),
                Err(error) => {
                    self.left_out.insert(format!("process {pid} was not sampled: {error}"));
                    failure = Some(error);
                }
            }
        }
        match failure {
            _ if !self.sampled.is_empty() => Ok(()),
            Some(error) => Err(error.into()),
            None => Err(nobody_runs(self.of)),
        }
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        let mut parts = Vec::new();
        for pid in std::mem::take(&mut self.sampled) {
            self.run(self.commands.stop, pid)?;
            parts.push(Part { process: Some(pid), thread: None, cpu: None, profile: read(&self.output(pid))? });
        }
        Ok(parts)
    }

    fn notes(&self) -> Vec<String> {
        self.left_out.iter().cloned().collect()
    }
}
