//! Starts and stops the sampling of a running server, in the way that its sensor describes.

#[cfg(unix)]
pub(crate) mod agents;
mod by_process;
mod each_process;
#[cfg(target_os = "linux")]
mod inspected;
mod program;
mod recording;

use std::{collections::BTreeSet, fs::OpenOptions, io::Read as _, path::Path, time::Duration};

use tierup_codegen::{Command, Executable, OUTPUT, PID, Sampling, Sensor};
use tierup_runner::Interrupts;
#[cfg(target_os = "linux")]
use tierup_subject::parent_of;

use crate::{Error, Part, Private, unsampled::ThreadId};

/// If tierup is killed, the sensor stops by itself this long after the planned end of its block. Starting and stopping
/// the sensor takes less.
pub(crate) const GRACE: Duration = Duration::from_secs(600);
/// The largest profile that is read, in bytes.
const LONGEST: u64 = 1 << 30;

/// Samples a server from [`Sampler::start`] to [`Sampler::stop`], any number of times.
pub(crate) trait Sampler {
    /// `pids` are the server's processes; the first is the one that was started.
    fn start(&mut self, pids: &[u32]) -> Result<(), Error>;

    fn stop(&mut self) -> Result<Vec<Part>, Error>;

    /// Makes the server inline less from now on, so that functions keep their names. Returns whether it does.
    fn name_inlined(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    /// The sampled threads, if the sampler knows their ids.
    fn threads(&self) -> BTreeSet<ThreadId> {
        BTreeSet::new()
    }

    /// Notes for the user about processes that were not sampled.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The sampler of a sensor. It must exist before the server is started.
pub(crate) fn sampler<'a>(
    sensor: &'a Sensor,
    private: &'a Private,
    interrupts: &'a Interrupts,
) -> Result<Box<dyn Sampler + 'a>, Error> {
    let folder = private.path();
    match &sensor.sampling {
        #[cfg(unix)]
        Sampling::Agent => Ok(Box::new(agents::Agents::listen(folder, interrupts)?)),
        #[cfg(not(unix))]
        Sampling::Agent => Err(Error::Socket(std::io::ErrorKind::Unsupported.into())),
        #[cfg(target_os = "linux")]
        Sampling::Inspector { of, script, passed_on_to } => {
            let script = folder.join(script);
            Ok(Box::new(inspected::Inspected::new(*of, &script, passed_on_to, folder, interrupts)?))
        }
        #[cfg(not(target_os = "linux"))]
        Sampling::Inspector { .. } => Err(Error::Socket(std::io::ErrorKind::Unsupported.into())),
        Sampling::Program { of, command, begins, process, threads_in } => {
            let words = program::Words { begins, process };
            let of = program::Of { processes: *of, threads_in: *threads_in };
            Ok(Box::new(program::Program::new(of, command, words, folder, interrupts)))
        }
        Sampling::EachProcess { of, start, stop, accepted: [started, stopped], print } => {
            let commands = each_process::Commands { start, started, stop, stopped, print: print.as_ref() };
            Ok(Box::new(each_process::EachProcess::new(*of, commands, folder, interrupts)))
        }
        Sampling::Recording { record, begins, print, symbols } => {
            let commands = recording::Commands { record, begins, print };
            let maps = match sensor.environment.is_empty() {
                true => recording::Maps::Others,
                false => recording::Maps::OfSensor,
            };
            Ok(Box::new(recording::Recording::new(commands, symbols, maps, folder, interrupts)))
        }
    }
}

/// Fills in the process and the output file of a command.
fn for_process(command: &Command, pid: u32, output: &Path) -> Command {
    let (pid, output) = (pid.to_string(), output.display().to_string());
    let filled = |argument: &String| argument.replace(PID, &pid).replace(OUTPUT, &output);
    Command { arguments: command.arguments.iter().map(filled).collect(), ..command.clone() }
}

/// Keeps the processes that run this program, in their order. Outside Linux, it keeps all.
fn running(executable: Executable, pids: &[u32]) -> Vec<u32> {
    let runs = |pid: &u32| {
        let file = std::fs::read_link(format!("/proc/{pid}/exe"));
        let name = file.ok().and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
        name.map_or(cfg!(not(target_os = "linux")), |name| name.starts_with(executable.0))
    };
    pids.iter().copied().filter(runs).collect()
}

/// Keeps the processes that descend from no other one, in their order. Outside Linux, it keeps the first one.
fn topmost(pids: &[u32]) -> Vec<u32> {
    #[cfg(target_os = "linux")]
    {
        let descends = |pid: &&u32| ancestors(**pid).any(|ancestor| pids.contains(&ancestor));
        pids.iter().filter(|pid| !descends(pid)).copied().collect()
    }
    #[cfg(not(target_os = "linux"))]
    pids.first().copied().into_iter().collect()
}

#[cfg(target_os = "linux")]
fn ancestors(pid: u32) -> impl Iterator<Item = u32> {
    // If a process ends meanwhile, another may get its id, which could close a circle. So the chain is limited.
    const DEEPEST: usize = 1000;
    std::iter::successors(parent_of(pid), |pid| parent_of(*pid)).take(DEEPEST)
}

/// The error if no process runs the program that the sensor can sample.
fn nobody_runs(executable: Executable) -> Error {
    Error::NoProcess { why: Some(format!("none of them runs `{}`", executable.0)), log: Vec::new() }
}

/// Reads a profile, and removes its file.
fn read(file: &Path) -> Result<Vec<u8>, Error> {
    let profile = read_file(file, LONGEST).map_err(|error| Error::NoProfile(format!("{}: {error}", file.display())))?;
    // An error does not matter: the folder is removed at the end of the run.
    let _ = std::fs::remove_file(file);
    Ok(profile)
}

/// tierup may be root while the server that writes into the folder is not. So the file is neither followed, if it is a
/// link to another user's file, nor waited for, if it is a pipe.
fn read_file(path: &Path, longest: u64) -> std::io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut profile = Vec::new();
    file.take(longest + 1).read_to_end(&mut profile)?;
    if profile.len() as u64 > longest {
        return Err(std::io::Error::other(format!("it is longer than {longest} bytes")));
    }
    Ok(profile)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn topmost_processes_descend_from_no_other() {
        let me = std::process::id();
        let mut shell = std::process::Command::new("sh");
        // The child stands between this process and the grandchild, and is not in the first list.
        let mut child = shell.args(["-c", "sh -c 'echo $$; read x; true'; true"]);
        child = child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut grandchild = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut grandchild)
            .unwrap();
        let grandchild: u32 = grandchild.trim().parse().unwrap();
        assert_eq!(topmost(&[grandchild, me]), [me]);
        assert_eq!(topmost(&[grandchild, child.id()]), [child.id()]);
        assert_eq!(topmost(&[grandchild]), [grandchild]);
        assert!(topmost(&[]).is_empty());
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn only_regular_files_of_the_folder_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
        std::fs::write(&file, "main 3").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success() && read_file(&link, 100).is_err() && read_file(&pipe, 100).is_err());
        assert!(read_file(&file, 5).is_err_and(|error| error.to_string().contains("longer than 5 bytes")));
        assert_eq!(read(&file).unwrap(), b"main 3");
        assert!(!file.exists());
    }
}
