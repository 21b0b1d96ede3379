//! A program that works beside a server until it is told to exit, such as a profiler.

use std::{
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Error, Interrupts, Result,
    output::{Tail, each_line},
    process::{folder, not_started},
    tree::{Signal, Tree, ending},
};

/// Time between two checks of the program.
const STEP: Duration = Duration::from_millis(20);
/// When the program has exited, its last output may still be in the pipe for this long.
const LAST_LINES: Duration = Duration::from_millis(100);

/// A program that works in the background. If it is dropped, it is killed with everything that it started.
#[derive(Debug)]
pub struct Beside {
    command: tierup_codegen::Command,
    root: std::path::PathBuf,
    tree: Tree,
    log: Arc<Mutex<Tail>>,
}

impl Beside {
    /// Starts a program and waits until it prints a line that contains `begins`.
    ///
    /// # Errors
    /// The program is missing, exits, or does not print such a line within `patience` (the error has its output); or
    /// the user interrupts. In each case, none of its processes is left.
    pub fn start(
        command: &tierup_codegen::Command,
        root: &Path,
        begins: &str,
        patience: Duration,
        interrupts: &Interrupts,
    ) -> Result<Beside> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).current_dir(folder(command, root)?);
        process.envs(command.environment.iter().map(|(name, value)| (name, value)));
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tree = Tree::start(&mut process).map_err(|error| not_started(&command.program, error))?;
        let log = Arc::new(Mutex::new(Tail::default()));
        if let (Some(out), Some(err)) = (tree.leader.stdout.take(), tree.leader.stderr.take()) {
            let (to_log, to_log_too) = (Arc::clone(&log), Arc::clone(&log));
            each_line(out, move |line| to_log.lock().unwrap_or_else(PoisonError::into_inner).push(line));
            each_line(err, move |line| to_log_too.lock().unwrap_or_else(PoisonError::into_inner).push(line));
        }
        let mut beside = Beside { command: command.clone(), root: root.to_owned(), tree, log };
        let deadline = Instant::now() + patience;
        loop {
            if beside.log().iter().any(|line| line.contains(begins)) {
                return Ok(beside);
            }
            if let Ok(Some(status)) = beside.tree.leader.try_wait() {
                thread::sleep(LAST_LINES);
                return Err(beside.failed(ending(status)));
            }
            if interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            if Instant::now() >= deadline {
                return Err(beside.failed(format!("it did not begin within {} s", patience.as_secs())));
            }
            thread::sleep(STEP);
        }
    }

    pub fn pid(&self) -> u32 {
        self.tree.leader.id()
    }

    /// Interrupts the program as Ctrl-C does, and waits until it has exited: successfully, or by this signal, which
    /// some programs let kill them after their work. `perf` exits by the signal with which it ended its own child.
    ///
    /// # Errors
    /// The program fails, or still runs after `patience` and is killed.
    pub fn finish(mut self, patience: Duration) -> Result<()> {
        self.tree.ask_leader(Signal::Interrupt);
        let deadline = Instant::now() + patience;
        loop {
            match self.tree.leader.try_wait() {
                Ok(Some(status)) if status.success() || by_interrupt(status) => return Ok(()),
                Ok(Some(status)) => {
                    thread::sleep(LAST_LINES);
                    return Err(self.failed(ending(status)));
                }
                _ if Instant::now() >= deadline => {
                    return Err(self.failed(format!("it did not end within {} s", patience.as_secs())));
                }
                _ => thread::sleep(STEP),
            }
        }
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }

    fn failed(&self, ending: String) -> Error {
        let (command, folder) = (self.command.to_string(), self.root.join(&self.command.folder));
        Error::Failed { command, folder, ending, output: self.log() }
    }
}

#[cfg(unix)]
fn by_interrupt(status: ExitStatus) -> bool {
    use rustix::process::Signal as Number;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    signal.is_some_and(|signal| [Number::INT, Number::TERM].iter().any(|known| known.as_raw() == signal))
}

#[cfg(not(unix))]
fn by_interrupt(_: ExitStatus) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Result<Beside> {
        let command = tierup_codegen::Command::new("sh", ["-c", script]);
        Beside::start(&command, Path::new("."), "ready", PATIENCE, &Interrupts::watch())
    }

    #[test]
    fn a_program_works_until_it_is_told_to_exit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("done").display().to_string();
        let script = format!("trap 'echo done > {file}; exit 0' INT; echo ready >&2; while :; do sleep 0.05; done");
        shell(&script).unwrap().finish(PATIENCE).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "done\n");
        shell("trap 'trap - INT; kill -INT $$' INT; echo ready; while :; do sleep 0.05; done")
            .unwrap()
            .finish(PATIENCE)
            .unwrap();
    }

    #[test]
    fn a_failure_has_the_programs_output() {
        let error = shell("echo no permission >&2; exit 3").unwrap_err();
        let Error::Failed { ending, output, .. } = error else { panic!("{error}") };
        assert_eq!((ending.as_str(), output), ("exit code 3", vec!["no permission".to_owned()]));
        let error = shell("trap 'echo lost; exit 4' INT; echo ready; while :; do sleep 0.05; done");
        let Error::Failed { ending, output, .. } = error.unwrap().finish(PATIENCE).unwrap_err() else { panic!() };
        assert_eq!((ending.as_str(), output.last().map(String::as_str)), ("exit code 4", Some("lost")));
    }

    #[test]
    fn no_process_outlives_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("child").display().to_string();
        let beside = shell(&format!("sleep 600 & echo $! > {file}; echo ready; wait")).unwrap();
        let child = std::fs::read_to_string(file).unwrap();
        drop(beside);
        assert!(!Path::new("/proc").join(child.trim()).join("exe").exists() || cfg!(not(target_os = "linux")));
    }
}
