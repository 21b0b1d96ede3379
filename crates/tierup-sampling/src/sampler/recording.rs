//! Sampling by a program that records the stacks of all server processes from outside, such as `perf`. In: the
//! processes. Out: collapsed stacks of all of them.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_codegen::{Command, MAP, MODULES, OUTPUT, PID, PIDS, Symbols};
use tierup_profile::collapse_perf;
use tierup_runner::{Beside, Error as RunnerError, Interrupts, feed};

use super::{Sampler, for_process, running};
use crate::{Error, Part};

/// How long the program may take to begin, to write its recording, and to print it.
const PATIENCE: Duration = Duration::from_secs(120);

/// See [`Sampling::Recording`](tierup_codegen::Sampling::Recording).
pub(super) struct Commands<'a> {
    pub(super) record: &'a Command,
    pub(super) begins: &'static str,
    pub(super) print: &'a Command,
}

/// Who owns the processes' maps, unless a command of the sensor writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maps {
    /// The sensor's variables make the processes write maps, so tierup removes them at the end of the run.
    OfSensor,
    /// The server's owner may have asked for the maps, so they stay.
    Others,
}

pub(super) struct Recording<'a> {
    commands: Commands<'a>,
    symbols: &'a Symbols,
    maps: Maps,
    folder: PathBuf,
    interrupts: &'a Interrupts,
    runs: Option<Beside>,
    pids: Vec<u32>,
    /// Maps that are removed at the end.
    made: BTreeSet<PathBuf>,
    left_out: BTreeSet<String>,
}

impl<'a> Recording<'a> {
    pub(super) fn new(
        commands: Commands<'a>,
        symbols: &'a Symbols,
        maps: Maps,
        folder: &Path,
        interrupts: &'a Interrupts,
    ) -> Self {
        let (runs, pids, made, left_out) = (None, Vec::new(), BTreeSet::new(), BTreeSet::new());
        Recording { commands, symbols, maps, folder: folder.to_owned(), interrupts, runs, pids, made, left_out }
    }

    fn output(&self) -> PathBuf {
        self.folder.join("recorded")
    }

    /// The source file of each module, from the lists that the processes have written.
    fn sources(&self) -> HashMap<String, String> {
        let files = self.pids.iter().map(|pid| self.folder.join(MODULES.replace(PID, &pid.to_string())));
        let texts: Vec<_> = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
        let lines = texts.iter().flat_map(|text| text.lines());
        lines.filter_map(|line| line.split_once('\t')).map(|(name, file)| (name.to_owned(), file.to_owned())).collect()
    }

    /// Makes the processes write down the names of the functions that they have compiled.
    fn write_maps(&mut self) -> Result<(), Error> {
        let Some((of, command)) = &self.symbols.writes_map else { return Ok(()) };
        for pid in running(*of, &self.pids) {
            let map = map(pid);
            let is_new = !map.exists();
            let command = for_process(command, pid, &self.output());
            match feed(&command, &self.folder, &[], PATIENCE, self.interrupts) {
                Ok(_) if is_new => {
                    self.made.insert(map);
                }
                Ok(_) => {}
                Err(RunnerError::Interrupted) => return Err(Error::Interrupted),
                // The process may have ended meanwhile.
                Err(error) => {
                    self.left_out.insert(format!("functions of process {pid} have no names: {error}"));
                }
            }
        }
        Ok(())
    }
}

impl Sampler for Recording<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        self.pids = pids.to_vec();
        if self.maps == Maps::OfSensor {
            self.made.extend(pids.iter().copied().map(map));
        }
        let all = pids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let mut command = self.commands.record.clone();
        let output = self.output().display().to_string();
        for argument in &mut command.arguments {
            *argument = argument.replace(PIDS, &all).replace(OUTPUT, &output);
        }
        self.runs = Some(Beside::start(&command, &self.folder, self.commands.begins, PATIENCE, self.interrupts)?);
        Ok(())
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        if let Some(program) = self.runs.take() {
            program.finish(PATIENCE)?;
        }
        self.write_maps()?;
        let command = for_process(self.commands.print, 0, &self.output());
        let printed = feed(&command, &self.folder, &[], PATIENCE, self.interrupts)?;
        // An error does not matter: the folder is removed at the end of the run.
        let _ = std::fs::remove_file(self.output());
        let profile = collapse_perf(&printed, self.symbols, &self.sources()).into_bytes();
        Ok(vec![Part::new(None, profile)])
    }

    fn notes(&self) -> Vec<String> {
        self.left_out.iter().cloned().collect()
    }
}

/// The server has ended or no longer needs the maps.
impl Drop for Recording<'_> {
    fn drop(&mut self) {
        for map in &self.made {
            // A process that compiles nothing has no map.
            let _ = std::fs::remove_file(map);
        }
    }
}

fn map(pid: u32) -> PathBuf {
    PathBuf::from(MAP.replace(PID, &pid.to_string()))
}
