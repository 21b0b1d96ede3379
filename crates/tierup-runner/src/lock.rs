//! One build at a time in one project, and none while what was built is in use.

use std::{
    fs::{self, File, TryLockError},
    io::{Read as _, Seek as _, Write as _},
    path::Path,
    thread,
    time::Duration,
};

use crate::{Error, Result, interrupt::Watch};

/// How often to look whether it is free now.
const LOOK: Duration = Duration::from_millis(100);

/// Held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    /// Takes the lock for oneself, to change what is built. Where others have it, says so by `waiting`, which is told who
    /// was the last to take it, and waits.
    ///
    /// # Errors
    /// Where there can be no such file.
    pub fn take(path: &Path, who: &str, waiting: impl FnOnce(&str)) -> Result<Lock> {
        taken(path, who, waiting, File::try_lock)
    }

    /// Takes the lock together with others that only use what is built.
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
    // Looked at again and again rather than waited for: who waits for a server's end wants to be interrupted.
    while let Err(error) = attempt(&file) {
        if let TryLockError::Error(error) = error {
            return Err(Error::file("lock", path)(error));
        }
        if let Some(waiting) = waiting.take() {
            // Only for the message: where it cannot be read, nobody is named.
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
    // As above.
    let _ = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(name.as_bytes()));
    Ok(Lock(file))
}

/// Whether the holder, `tierup serve (process 123)`, is a process that started this one, if through others: it would wait
/// for us as we wait for it. Known only where there is a `/proc`.
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
    // Behind the name, which may have spaces and parentheses, are the state and the parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
}
