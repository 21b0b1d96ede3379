//! Private files of a run, such as reports and cases, which do not belong in a repository.
//!
//! Servers' answers are the user's data. So only their owner can read these files, and the folders that tierup makes
//! for them ignore themselves: git sees neither the files nor the `.gitignore`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Who owns a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderOwner {
    /// The folder only holds files that tierup writes.
    Ours,
    /// The user named it. Other files in it are the user's, and may be meant for git.
    Named,
}

/// Makes a folder whose content git ignores. An existing folder that the user named is not changed.
///
/// # Errors
/// The folder, or its `.gitignore`, cannot be written.
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

/// Writes a file that only its owner can read. The file is complete at any time: it is written beside its place, and
/// then moved there.
///
/// # Errors
/// The file cannot be written or moved.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let beside = beside(path);
    // A file of an interrupted run, or a link to elsewhere, may be there: neither must be written into.
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
    fn only_the_owner_can_read_a_report() {
        let folder = tempfile::tempdir().expect("there is room");
        let (file, elsewhere) = (folder.path().join("report.json"), folder.path().join("elsewhere"));
        // Everybody can read the older report, and the new one is first written at a path that is a link.
        fs::write(&file, "old").expect("there is room");
        fs::write(&elsewhere, "kept").expect("there is room");
        symlink(&elsewhere, folder.path().join("report.json.part")).expect("links can be made");
        write(&file, b"new").expect("there is room");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::metadata(&file).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&elsewhere).expect("it is there"), "kept");
    }

    #[test]
    fn only_new_folders_ignore_themselves() {
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
