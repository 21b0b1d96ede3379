//! The private folder of a run holds the sensor's files, its socket, and profiles until they are read. Only its owner
//! can open it. When the run ends, it is removed with everything in it.

use std::{
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tierup_codegen::{Command, Files, SOCKET};
use tierup_runner::{Progress, run, write_file};

use crate::Error;

/// A Unix socket's path has room for 107 bytes on Linux and 103 on macOS.
const LONGEST_SOCKET: usize = 103;

/// A private folder.
#[derive(Debug)]
pub struct Private {
    folder: TempDir,
    path: PathBuf,
}

impl Private {
    /// Makes a new folder in the system's folder for temporary files.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new() -> Result<Private, Error> {
        let folder = folder().map_err(Error::NoFolder)?;
        // The server runs in another folder, and the paths of its frames are compared with real paths.
        let path = folder.path().canonicalize().map_err(Error::NoFolder)?;
        Ok(Private { folder, path })
    }

    /// The folder's absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the files of a sensor or a witness, and runs the commands that it needs besides them.
    ///
    /// # Errors
    /// A file cannot be written, or a command fails.
    pub fn prepare(&self, files: &Files, commands: &[Command], progress: &mut dyn Progress) -> Result<(), Error> {
        self.write(files)?;
        for command in commands {
            progress.started(&command.to_string());
            let done = run(command, &self.path, &[], progress);
            progress.finished();
            done?;
        }
        Ok(())
    }

    /// Writes files into the folder.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, files: &Files) -> Result<(), Error> {
        for (name, content) in files.iter() {
            write_file(&self.path.join(name), content)?;
        }
        Ok(())
    }

    /// Lets the user of a running process write into the folder: tierup may be root while the server is not.
    ///
    /// # Errors
    /// The process belongs to another user while tierup is not root, or it sees other files than tierup does.
    #[cfg(unix)]
    pub fn share_with(&self, pid: u32) -> Result<(), Error> {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let process = PathBuf::from(format!("/proc/{pid}"));
        // Only Linux tells the owner of a process.
        let (Ok(theirs), Ok(ours)) = (process.metadata(), Path::new("/proc/self").metadata()) else { return Ok(()) };
        let files = |process: &Path| std::fs::read_link(process.join("ns/mnt")).ok();
        if let (Some(theirs), Some(ours)) = (files(&process), files(Path::new("/proc/self")))
            && theirs != ours
        {
            return Err(Error::Apart(pid));
        }
        match (theirs.uid(), ours.uid()) {
            (theirs, ours) if theirs == ours => Ok(()),
            (their_uid, 0) => chown(&self.path, Some(their_uid), Some(theirs.gid())).map_err(Error::NoFolder),
            _ => Err(Error::OfAnother(pid)),
        }
    }

    #[cfg(not(unix))]
    pub fn share_with(&self, _: u32) -> Result<(), Error> {
        Ok(())
    }

    /// Removes the folder.
    ///
    /// # Errors
    /// Something in it cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        self.folder.close()
    }
}

fn folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("tierup-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir()?;
    if folder.path().join(SOCKET).as_os_str().len() <= LONGEST_SOCKET || cfg!(windows) {
        return Ok(folder);
    }
    // `TMPDIR` is too deep for a socket.
    builder.tempdir_in("/tmp")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_its_owners_and_goes_with_everything_in_it() {
        let private = Private::new().unwrap();
        let path = private.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(path.join("profile"), "x").unwrap();
        drop(private);
        assert!(!path.exists());
    }
}
