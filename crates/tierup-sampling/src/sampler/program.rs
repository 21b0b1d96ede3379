//! Sampling by a program that runs beside the server.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_codegen::{Command, Executable};
use tierup_runner::{Beside, Interrupts};

use super::{Sampler, for_process, nobody_runs, read, running};
use crate::{Error, Part};

/// How long the program may take to begin, and to write its profile.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Program<'a> {
    of: Executable,
    command: &'a Command,
    begins: &'static str,
    folder: PathBuf,
    output: PathBuf,
    interrupts: &'a Interrupts,
    runs: Option<Beside>,
}

impl<'a> Program<'a> {
    pub(super) fn new(
        of: Executable,
        command: &'a Command,
        begins: &'static str,
        folder: &Path,
        interrupts: &'a Interrupts,
    ) -> Self {
        let (folder, output) = (folder.to_owned(), folder.join("profile"));
        Program { of, command, begins, folder, output, interrupts, runs: None }
    }
}

impl Sampler for Program<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        let pid = *running(self.of, pids).first().ok_or_else(|| nobody_runs(self.of))?;
        let command = for_process(self.command, pid, &self.output);
        self.runs = Some(Beside::start(&command, &self.folder, self.begins, PATIENCE, self.interrupts)?);
        Ok(())
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        if let Some(program) = self.runs.take() {
            program.finish(PATIENCE)?;
        }
        let profile = read(&self.output)?;
        Ok(vec![Part { process: None, thread: None, cpu: None, profile }])
    }
}
