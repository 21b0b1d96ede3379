//! Allows one build at a time in a project, and no build while built files are in use. All take turns: what asks to use
//! the files after a build asked to change them waits for that build.

use std::{
    fs::{self, File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
    thread,
    time::Duration,
};

use crate::{Error, Result, interrupt::Watch};

/// A way to lock a file without waiting.
type Attempt = fn(&File) -> std::result::Result<(), TryLockError>;

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

fn taken(path: &Path, who: &str, waiting: impl FnOnce(&str), attempt: Attempt) -> Result<Lock> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
    }
    let mut file = open(path)?;
    let watch = Watch::new();
    let mut waiting = Some(waiting);
    let mut told = |file: &mut File| {
        let Some(waiting) = waiting.take() else { return Ok(()) };
        // A failure to read the holder is ignored, so that the message names nobody.
        let mut holder = String::new();
        let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
        if is_waited_for_by(&holder) {
            return Err(Error::HeldByParent { holder });
        }
        waiting(&holder);
        Ok(())
    };
    // Whoever is next waits alone. Otherwise, a build could wait for ever for servers that take turns.
    let next_path = path.with_extension("next");
    let next = open(&next_path)?;
    while !is_free(&next, File::try_lock, &next_path, &watch)? {
        told(&mut file)?;
    }
    let _next = Lock(next);
    while !is_free(&file, attempt, path, &watch)? {
        told(&mut file)?;
    }
    let name = format!("{who} (process {})", std::process::id());
    // A failure to write the name is ignored, as above.
    let _ = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(name.as_bytes()));
    Ok(Lock(file))
}

fn open(path: &Path) -> Result<File> {
    let options = File::options().create(true).truncate(false).read(true).write(true).open(path);
    options.map_err(Error::file("open", path))
}

/// Whether the file could be locked. If not, waits a moment. Polls instead of blocking, so that the user can interrupt
/// the wait for a server's end.
fn is_free(file: &File, attempt: Attempt, path: &Path, watch: &Watch) -> Result<bool> {
    match attempt(file) {
        Ok(()) => return Ok(true),
        Err(TryLockError::Error(error)) => return Err(Error::file("lock", path)(error)),
        Err(TryLockError::WouldBlock) if watch.arrived() > 0 => return Err(Error::Interrupted),
        Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
    }
    Ok(false)
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
