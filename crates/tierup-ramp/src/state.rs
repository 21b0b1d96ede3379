//! The state folder, in which proxies and judge meet: the names of its files, and the lock that lets one judge in.
//!
//! ```text
//! control                 what the judge tells the proxies
//! evidence/NAME.jsonl     what one proxy saw
//! rollout.db              what the judge knows
//! decisions.jsonl         what the judge decided, for people and reports
//! ramp.sock               commands for the judge
//! ramp.lock               held while a judge runs
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

/// Held until dropped, or until the process ends in whatever way.
#[derive(Debug)]
pub struct Held(File);

impl Drop for Held {
    /// Closing the file is not enough: a process that another thread starts at this moment has a copy of it until `exec`.
    fn drop(&mut self) {
        // Without it, the lock ends with the last copy.
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

    fn lock(&self) -> PathBuf {
        self.folder.join("ramp.lock")
    }

    /// Makes the folders that are missing. Only their owner can enter them, and git ignores them.
    ///
    /// # Errors
    /// They cannot be made.
    pub fn make(&self) -> Result<()> {
        let evidence = self.evidence();
        DirBuilder::new().recursive(true).mode(0o700).create(&evidence).map_err(Error::file("make", &evidence))?;
        let ignore = self.folder.join(".gitignore");
        if ignore.exists() {
            return Ok(());
        }
        fs::write(&ignore, "*\n").map_err(Error::file("write", &ignore))
    }

    /// Leaves the order to abort, which a judge obeys as soon as it can.
    ///
    /// # Errors
    /// There is no room, or no right.
    pub fn order_abort(&self) -> Result<()> {
        let path = self.folder.join(ABORT);
        fs::write(&path, "").map_err(Error::file("write", &path))
    }

    pub(crate) fn is_abort_ordered(&self) -> bool {
        self.folder.join(ABORT).exists()
    }

    /// The order was obeyed, or is about an earlier ramp.
    pub(crate) fn forget_abort(&self) {
        // If it stays, the next ramp is aborted, too: that harms nobody.
        let _ = fs::remove_file(self.folder.join(ABORT));
    }

    /// Makes this process the folder's only judge.
    ///
    /// # Errors
    /// Another judge runs, or there can be no such file.
    pub fn hold(&self) -> Result<Held> {
        let path = self.lock();
        let open = File::options().create(true).truncate(false).read(true).write(true).mode(0o600).open(&path);
        let mut file = open.map_err(Error::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => {
                // The number is for people only: without it, the message names no process.
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
    fn one_judge_at_a_time_in_a_folder_that_is_its_owners() {
        let root = tempfile::tempdir().expect("there is room");
        let state = State::at(root.path().join("a/rollout"));
        state.make().expect("it can be made");
        state.make().expect("it is there");
        let mode = fs::metadata(state.folder()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let held = state.hold().expect("nobody else is there");
        let other = state.hold().expect_err("it is held").to_string();
        assert!(other.contains(&std::process::id().to_string()), "{other}");
        // As a child has it between `fork` and `exec`.
        let copy = held.0.try_clone().expect("it can be copied");
        drop(held);
        state.hold().expect("it is free again");
        drop(copy);
    }
}
