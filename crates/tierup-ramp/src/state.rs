//! The state folder, which proxies and judge share: the names of its files, and the lock that admits one judge.
//!
//! ```text
//! control                 what the judge tells the proxies
//! evidence/NAME.jsonl     what one proxy saw
//! rollout.db              what the judge knows
//! decisions.jsonl         what the judge decided, for people and reports
//! ramp.sock               commands for the judge
//! ramp.lock               held while a judge runs
//! courier.lock            held while a proxy keeps the folder in step with a database
//! abort                   an order to abort, for a judge that did not answer when it was given
//! ```

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io::{Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::{Error, Result};

const ABORT: &str = "abort";

/// A state folder.
#[derive(Debug, Clone)]
pub struct State {
    folder: PathBuf,
}

/// The lock, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct Held(File);

impl Drop for Held {
    /// Unlocks explicitly: a process that another thread starts at this moment has a copy of the file until `exec`.
    fn drop(&mut self) {
        // If this fails, the lock ends with the last copy of the file.
        let _ = self.0.unlock();
    }
}

impl State {
    pub fn at(folder: PathBuf) -> State {
        State { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn control(&self) -> PathBuf {
        self.folder.join("control")
    }

    pub fn evidence(&self) -> PathBuf {
        self.folder.join("evidence")
    }

    pub fn database(&self) -> PathBuf {
        self.folder.join("rollout.db")
    }

    pub fn journal(&self) -> PathBuf {
        self.folder.join("decisions.jsonl")
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("ramp.sock")
    }

    /// Creates the missing folders. Only the owner can enter them, and git ignores them.
    ///
    /// # Errors
    /// If they cannot be created.
    pub fn make(&self) -> Result<()> {
        let evidence = self.evidence();
        DirBuilder::new().recursive(true).mode(0o700).create(&evidence).map_err(Error::file("make", &evidence))?;
        let ignore = self.folder.join(".gitignore");
        if ignore.exists() {
            return Ok(());
        }
        fs::write(&ignore, "*\n").map_err(Error::file("write", &ignore))
    }

    /// Leaves an order to abort, which a judge obeys as soon as it can.
    ///
    /// # Errors
    /// If there is no room, or no permission.
    pub fn order_abort(&self) -> Result<()> {
        let path = self.folder.join(ABORT);
        fs::write(&path, "").map_err(Error::file("write", &path))
    }

    pub(crate) fn is_abort_ordered(&self) -> bool {
        self.folder.join(ABORT).exists()
    }

    /// Removes the order to abort, which was obeyed or belongs to an earlier ramp.
    pub(crate) fn forget_abort(&self) {
        // If it stays, the next ramp is aborted, too, which is harmless.
        let _ = fs::remove_file(self.folder.join(ABORT));
    }

    /// Makes this process the folder's only judge.
    ///
    /// # Errors
    /// If another judge runs, or the lock's file cannot be made.
    pub fn hold(&self) -> Result<Held> {
        self.lock("ramp.lock")
    }

    /// Makes this process the only one that keeps the folder in step with a database.
    ///
    /// # Errors
    /// The same as for [`hold`](State::hold).
    pub(crate) fn hold_courier(&self) -> Result<Held> {
        self.lock("courier.lock")
    }

    fn lock(&self, name: &str) -> Result<Held> {
        let path = self.folder.join(name);
        let open = File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(&path);
        let mut file = open.map_err(Error::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => {
                // The number is only for people; without it, the message names no process.
                let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
                Ok(Held(file))
            }
            Err(TryLockError::WouldBlock) => {
                let mut process = String::new();
                let _ = file.read_to_string(&mut process);
                Err(Error::Judged { folder: self.folder.clone(), process })
            }
            Err(TryLockError::Error(error)) => Err(Error::file("lock", &path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_one_judge_at_a_time_holds_a_private_folder() {
        let root = tempfile::tempdir().expect("there is room");
        let state = State::at(root.path().join("a/rollout"));
        state.make().expect("it can be made");
        state.make().expect("it is there");
        let mode = fs::metadata(state.folder()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let held = state.hold().expect("nobody else is there");
        let other = state.hold().expect_err("it is held").to_string();
        assert!(other.contains(&std::process::id().to_string()), "{other}");
        // A child process has such a copy between `fork` and `exec`.
        let copy = held.0.try_clone().expect("it can be copied");
        drop(held);
        state.hold().expect("it is free again");
        drop(copy);
    }
}
