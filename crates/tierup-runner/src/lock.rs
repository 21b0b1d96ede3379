//! One build at a time in one project.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use crate::{Error, Result};

/// Held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    /// Takes the lock; where another process has it, says so by `waiting` and waits.
    ///
    /// # Errors
    /// Where there can be no such file.
    pub fn take(path: &Path, waiting: impl FnOnce()) -> Result<Lock> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
        }
        let file = File::options().create(true).append(true).open(path).map_err(Error::file("open", path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(Error::file("lock", path))?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::file("lock", path)(error)),
        }
        Ok(Lock(file))
    }
}
