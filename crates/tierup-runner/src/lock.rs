//! Allows one build at a time in a project, and no build while built files are in use.

use std::{
    fs::{self, File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
    thread,
    time::Duration,
};

use crate::{Error, Result, interrupt::Watch};

/// How often to check whether the lock is free.
const LOOK: Duration = Duration::from_millis(100);

/// Held until it is dropped, or until the process ends for whatever reason.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    /// Closing the file is not enough: a process that another thread is starting has a copy of it until `exec`.
    fn drop(&mut self) {
        // If unlocking fails, the lock ends when the last copy is closed.
        let _ = self.0.unlock();
    }
}

impl Lock {
    /// Takes the lock exclusively, to change built files. If others hold it, this calls `waiting` with the name of the
    /// last process that took the lock, and waits.
    ///
    /// # Errors
    /// The lock file cannot be made, a parent process holds the lock, or the user interrupts the wait.
    pub fn take(path: &Path, who: &str, waiting: impl FnOnce(&str)) -> Result<Lock> {
        taken(path, who, waiting, File::try_lock)
    }

    /// Takes the lock in common with others that only use built files.
    ///
    /// # Errors
    /// As [`Lock::take`].
    pub fn share(path: &Path, who: &str, waiting: impl FnOnce(&str)) -> Result<Lock> {
        taken(path, who, waiting, File::try_lock_shared)
    }
}

fn taken(
    path: &Path,
    who: &str,
    waiting: impl FnOnce(&str),
    attempt: fn(&File) -> std::result::Result<(), TryLockError>,
) -> Result<Lock> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
    }
    let open = File::options().create(true).truncate(false).read(true).write(true).open(path);
    let mut file = open.map_err(Error::file("open", path))?;
    let watch = Watch::new();
    let mut waiting = Some(waiting);
    // Polls the lock instead of blocking on it, so that the user can interrupt the wait for a server's end.
    while let Err(error) = attempt(&file) {
        if let TryLockError::Error(error) = error {
            return Err(Error::file("lock", path)(error));
        }
        if let Some(waiting) = waiting.take() {
            // A failure to read the holder is ignored, so that the message names nobody.
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            if is_waited_for_by(&holder) {
                return Err(Error::HeldByParent { holder });
            }
            waiting(&holder);
        }
        thread::sleep(LOOK);
        if watch.arrived() > 0 {
            return Err(Error::Interrupted);
        }
    }
    let name = format!("{who} (process {})", std::process::id());
    // A failure to write the name is ignored, as above.
    let _ = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(name.as_bytes()));
    Ok(Lock(file))
}

/// Whether the holder, such as `tierup serve (process 123)`, is an ancestor of this process. If so, the two would wait
/// for each other. Without `/proc`, this is not known.
fn is_waited_for_by(holder: &str) -> bool {
    let number =
        holder.rsplit_once("(process ").and_then(|(_, number)| number.trim_end_matches(')').parse::<u32>().ok());
    number.is_some_and(|number| ancestors(std::process::id()).any(|ancestor| ancestor == number))
}

fn ancestors(process: u32) -> impl Iterator<Item = u32> {
    std::iter::successors(parent(process), |process| parent(*process))
}

fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The state and the parent follow the name, which may contain spaces and parentheses.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
}
