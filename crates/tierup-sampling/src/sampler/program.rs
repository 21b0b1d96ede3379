//! Sampling by a program that runs beside the server.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_codegen::{Command, Executable};
use tierup_runner::{Beside, Interrupts};

use super::{Sampler, by_process::by_process, for_process, nobody_runs, read, running, topmost};
use crate::{Error, Part, unsampled::Processes};

/// How long the program may take to begin sampling, and to write its profile.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Program<'a> {
    of: Of,
    command: &'a Command,
    words: Words,
    folder: PathBuf,
    interrupts: &'a Interrupts,
    /// The running programs, each with the file that it writes.
    runs: Vec<(Beside, PathBuf)>,
    /// CPU time of each process when sampling began.
    before: Processes,
}

/// Programs of the server, as [`Sampling::Program`](tierup_codegen::Sampling::Program) names them.
pub(super) struct Of {
    pub(super) processes: Executable,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux lets threads ask for short slices"))]
    pub(super) threads_in: Option<Executable>,
}

/// Texts in the output and in the profile of the program.
pub(super) struct Words {
    pub(super) begins: &'static str,
    /// See [`Sampling::Program`](tierup_codegen::Sampling::Program).
    pub(super) process: &'static str,
}

impl<'a> Program<'a> {
    pub(super) fn new(of: Of, command: &'a Command, words: Words, folder: &Path, interrupts: &'a Interrupts) -> Self {
        let folder = folder.to_owned();
        Program { of, command, words, folder, interrupts, runs: Vec::new(), before: Processes::default() }
    }
}

impl Sampler for Program<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        // The program also samples the descendants of a process.
        for pid in topmost(&running(self.of.processes, pids)) {
            let output = self.folder.join(format!("profile-{pid}"));
            let command = for_process(self.command, pid, &output);
            let program = Beside::start(&command, &self.folder, self.words.begins, PATIENCE, self.interrupts)?;
            #[cfg(target_os = "linux")]
            crate::prompt::hasten_program(program.pid());
            self.runs.push((program, output));
        }
        if self.runs.is_empty() {
            return Err(nobody_runs(self.of.processes));
        }
        #[cfg(target_os = "linux")]
        if let Some(executable) = self.of.threads_in {
            crate::prompt::hasten_in(&running(executable, pids));
        }
        self.before = Processes::measure(pids);
        Ok(())
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        // The time is taken before the program writes its profile, as the server may work meanwhile.
        let used = self.before.until_now();
        let mut profile = Vec::new();
        for (program, output) in std::mem::take(&mut self.runs) {
            program.finish(PATIENCE)?;
            profile.extend(read(&output)?);
        }
        let parts = by_process(&profile, self.words.process).into_iter();
        Ok(parts
            .map(|(process, profile)| {
                let cpu = used.iter().find(|one| Some(one.process) == process).map(|one| one.cpu);
                Part { cpu, ..Part::new(process, profile) }
            })
            .collect())
    }
}
