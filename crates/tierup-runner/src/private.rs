//! Files with data from a run, such as reports and cases: only their owner may read them, and they do not belong in a
//! repository.
//!
//! Servers' answers are the user's data. So only their owner can read these files, and the folders that tierup makes
//! for them ignore themselves: git sees neither them nor their `.gitignore`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Whose folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderOwner {
    /// The folder only holds files that tierup writes.
    Ours,
    /// The user named it. Other files in it are the user's, and may be meant for git.
    Named,
}

/// Makes a folder whose content git ignores. A folder that the user named and that already exists is not changed.
///
/// # Errors
/// Where the folder, or the `.gitignore` in it, cannot be written.
pub fn make_folder(folder: &Path, place: FolderOwner) -> io::Result<()> {
    let was_there = folder.is_dir();
    fs::create_dir_all(folder)?;
    let ignore = folder.join(".gitignore");
    match place {
        FolderOwner::Named if was_there => Ok(()),
        _ if ignore.exists() => Ok(()),
        _ => fs::write(ignore, "*\n"),
    }
}

/// Writes a file that only its owner can read. It is complete at any time: it is written next to its place, then
/// moved there.
///
/// # Errors
/// Where it cannot be written or moved.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    // A file of an interrupted run or a link to elsewhere may exist there: neither must be written into.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create(&beside)?.write_all(content)?;
    fs::rename(&beside, path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_report_is_its_owners() {
        let folder = tempfile::tempdir().expect("there is room");
        let (file, elsewhere) = (folder.path().join("report.json"), folder.path().join("elsewhere"));
        // An older report, which everybody can read, and a link where the new one is written first.
        fs::write(&file, "old").expect("there is room");
        fs::write(&elsewhere, "kept").expect("there is room");
        symlink(&elsewhere, folder.path().join("report.json.part")).expect("links can be made");
        write(&file, b"new").expect("there is room");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&elsewhere).expect("it is there"), "kept");
    }

    #[test]
    fn a_folder_of_ours_ignores_itself_and_no_other_does() {
        let root = tempfile::tempdir().expect("there is room");
        let ignored = |name: &str| fs::read_to_string(root.path().join(name).join(".gitignore")).ok();
        let everything = Some("*\n".to_owned());
        make_folder(&root.path().join("a/b"), FolderOwner::Ours).expect("there is room");
        make_folder(&root.path().join("new"), FolderOwner::Named).expect("there is room");
        fs::create_dir(root.path().join("theirs")).expect("there is room");
        make_folder(&root.path().join("theirs"), FolderOwner::Named).expect("there is room");
        assert_eq!((ignored("a/b"), ignored("a")), (everything.clone(), None));
        assert_eq!((ignored("new"), ignored("theirs")), (everything, None));
    }
}
