//! Sampling by commands that are run for each process of the server that runs a certain program.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_codegen::{Command, Executable};
use tierup_runner::{Error as RunnerError, Interrupts, feed};

use super::{Sampler, for_process, nobody_runs, read, running};
use crate::{Error, Part};

/// How long a command may take. A command that talks to a stopped process would wait forever.
const PATIENCE: Duration = Duration::from_secs(60);

/// See [`Sampling::EachProcess`](tierup_codegen::Sampling::EachProcess).
pub(super) struct Commands<'a> {
    pub(super) start: &'a Command,
    pub(super) started: &'a str,
    pub(super) stop: &'a Command,
    pub(super) stopped: &'a str,
    pub(super) print: Option<&'a Command>,
}

pub(super) struct EachProcess<'a> {
    of: Executable,
    commands: Commands<'a>,
    folder: PathBuf,
    interrupts: &'a Interrupts,
    patience: Duration,
    /// The processes that are sampled.
    sampled: Vec<u32>,
    /// Processes whose start command was killed as it took too long. They may be sampled nevertheless.
    perhaps: Vec<u32>,
    /// Notes about processes that could not be sampled, with the reason.
    left_out: BTreeSet<String>,
}

impl<'a> EachProcess<'a> {
    pub(super) fn new(of: Executable, commands: Commands<'a>, folder: &Path, interrupts: &'a Interrupts) -> Self {
        let (folder, patience) = (folder.to_owned(), PATIENCE);
        let (sampled, perhaps, left_out) = (Vec::new(), Vec::new(), BTreeSet::new());
        EachProcess { of, commands, folder, interrupts, patience, sampled, perhaps, left_out }
    }

    fn output(&self, pid: u32) -> PathBuf {
        self.folder.join(format!("profile-{pid}"))
    }

    fn run(&self, command: &Command, pid: u32, accepted: &str) -> Result<(), RunnerError> {
        let command = for_process(command, pid, &self.output(pid));
        let printed = feed(&command, &self.folder, &[], self.patience, self.interrupts)?;
        let printed = String::from_utf8_lossy(&printed);
        if printed.contains(accepted) {
            return Ok(());
        }
        let output = printed.lines().map(str::to_owned).collect();
        let (ending, folder) = ("its output says so".to_owned(), self.folder.clone());
        Err(RunnerError::Failed { command: command.to_string(), folder, ending, output })
    }

    /// Stops the sampling of a process, and returns its profile.
    fn finish(&self, pid: u32) -> Result<Vec<u8>, Error> {
        self.run(self.commands.stop, pid, self.commands.stopped)?;
        let output = self.output(pid);
        let Some(print) = self.commands.print else { return read(&output) };
        Ok(feed(&for_process(print, pid, &output), &self.folder, &[], self.patience, self.interrupts)?)
    }
}

impl Sampler for EachProcess<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        self.sampled.clear();
        let mut failure = None;
        for pid in running(self.of, pids) {
            match self.run(self.commands.start, pid, self.commands.started) {
                Ok(()) => self.sampled.push(pid),
                Err(RunnerError::Interrupted) => {
                    // Sampling may have begun.
                    self.sampled.push(pid);
                    return Err(Error::Interrupted);
                }
                Err(error) => {
                    if matches!(error, RunnerError::NeverEnded { .. }) {
                        self.perhaps.push(pid);
                    }
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
            match self.finish(pid) {
                Ok(profile) => parts.push(Part::new(Some(pid), profile)),
                Err(Error::Runner(RunnerError::Interrupted)) => return Err(Error::Interrupted),
                // The process may have ended meanwhile.
                Err(error) => {
                    self.left_out.insert(format!("process {pid} was not sampled to the end of a block: {error}"));
                }
            }
        }
        Ok(parts)
    }

    fn notes(&self) -> Vec<String> {
        self.left_out.iter().cloned().collect()
    }
}

/// If a run ends early, the processes may go on, and must not be sampled any longer.
impl Drop for EachProcess<'_> {
    fn drop(&mut self) {
        // The first Ctrl-C may have arrived already, so only a second one interrupts these commands.
        let interrupts = Interrupts::watch();
        for pid in self.sampled.drain(..).chain(self.perhaps.drain(..)).collect::<BTreeSet<_>>() {
            let ended = cfg!(target_os = "linux") && !Path::new("/proc").join(pid.to_string()).exists();
            if !ended {
                let command = for_process(self.commands.stop, pid, &self.output(pid));
                // No caller is left to receive an error.
                let _ = feed(&command, &self.folder, &[], self.patience, &interrupts);
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::{Child, Command as Process};

    use tierup_codegen::{OUTPUT, PID};

    use super::*;

    struct Sleeping(Child);

    impl Sleeping {
        fn start() -> Sleeping {
            Sleeping(Process::new("sleep").arg("600").spawn().expect("sleep can be started"))
        }
    }

    impl Drop for Sleeping {
        fn drop(&mut self) {
            self.0.kill().expect("a child can be killed");
            self.0.wait().expect("a child can be waited for");
        }
    }

    fn shell(script: &str) -> Command {
        Command::new("sh", ["-c", script, "sh", PID, OUTPUT])
    }

    fn commands<'a>(start: &'a Command, stop: &'a Command) -> Commands<'a> {
        Commands { start, started: "done", stop, stopped: "done", print: None }
    }

    #[test]
    fn a_run_that_ends_early_stops_the_sampling_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let process = Sleeping::start();
        let (start, stop) = (shell("echo done"), shell("echo > stopped-$1; echo done"));
        let interrupts = Interrupts::watch();
        let mut sampler = EachProcess::new(Executable(""), commands(&start, &stop), folder.path(), &interrupts);
        sampler.start(&[process.0.id()]).unwrap();
        drop(sampler);
        assert!(folder.path().join(format!("stopped-{}", process.0.id())).exists());
    }

    #[test]
    fn a_start_that_never_ends_is_stopped_as_it_may_have_begun() {
        let folder = tempfile::tempdir().unwrap();
        let process = Sleeping::start();
        let (start, stop) = (shell("sleep 600"), shell("echo > stopped-$1; echo done"));
        let interrupts = Interrupts::watch();
        let mut sampler = EachProcess::new(Executable(""), commands(&start, &stop), folder.path(), &interrupts);
        sampler.patience = Duration::from_secs(3);
        sampler.start(&[process.0.id()]).unwrap_err();
        drop(sampler);
        assert!(folder.path().join(format!("stopped-{}", process.0.id())).exists());
    }

    #[test]
    fn a_process_that_cannot_be_stopped_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let processes = [Sleeping::start(), Sleeping::start(), Sleeping::start()];
        let [good, failing, hanging] = [0, 1, 2].map(|number: usize| processes[number].0.id());
        let start = shell("echo done");
        let stop = shell(&format!(
            "test $1 != {failing} || exit 3; test $1 != {hanging} || sleep 600; echo stacks > $2; echo done"
        ));
        let interrupts = Interrupts::watch();
        let mut sampler = EachProcess::new(Executable(""), commands(&start, &stop), folder.path(), &interrupts);
        sampler.start(&[good, failing, hanging]).unwrap();
        sampler.patience = Duration::from_secs(3);
        let parts = sampler.stop().unwrap();
        let found: Vec<_> = parts.iter().map(|part| (part.process, &part.profile[..])).collect();
        assert_eq!(found, [(Some(good), &b"stacks\n"[..])]);
        let notes = sampler.notes();
        let noted = |pid: u32, why: &str| {
            notes.iter().any(|note| note.starts_with(&format!("process {pid} ")) && note.contains(why))
        };
        assert!(notes.len() == 2 && noted(failing, "exit code 3") && noted(hanging, "within 3 s"), "{notes:?}");
    }
}
