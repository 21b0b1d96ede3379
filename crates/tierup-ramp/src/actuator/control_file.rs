//! Writes the control file.
//!
//! A reader sees the old file or the new one, never a part. The new file is on the disk before any reader can see it,
//! so that weights that were never decided cannot appear after a loss of power.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use tierup_rollout::Control;

use crate::{Error, Result};

/// Replaces the control file at `path`.
///
/// Only the owner can read it, as it contains the key of the clients' hash. If the group may read the existing file
/// (`chmod g+r`, for proxies of another user), it may read the new one, too.
///
/// If the file cannot be written, for example on a full disk, the old one stays. If only the folder cannot be
/// synchronised, the new one is in place, and a loss of power may undo it.
pub(super) fn write_control(path: &Path, control: &Control) -> Result<()> {
    replace(path, control.to_string().as_bytes())
}

/// Replaces a file as a whole.
///
/// # Errors
/// If it cannot be written, or not safely.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let beside = beside(path);
    let group = fs::metadata(path).map_or(0, |there| there.permissions().mode() & 0o040);
    if let Err(error) = fill(&beside, content, 0o600 | group) {
        // An error of the removal would hide the one that matters.
        let _ = fs::remove_file(&beside);
        return Err(Error::file("write", &beside)(error));
    }
    fs::rename(&beside, path).map_err(Error::file("replace", path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::file("synchronise", folder))
}

fn fill(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    // A file of an interrupted run or a link may exist there; writing must go into neither.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    // The umask changes the mode at creation.
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(content)?;
    file.sync_all()
}

/// Where the new file is until it is complete: in the same folder, as a rename cannot cross file systems.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::{
        env,
        os::unix::fs::symlink,
        process::Command,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use super::*;
    use crate::actuator::fixtures::control;

    fn generation(path: &Path) -> u64 {
        let text = fs::read_to_string(path).expect("it is there");
        Control::parse(&text).expect("a whole control file").generation
    }

    #[test]
    fn a_reader_never_sees_a_part_of_a_file() {
        let folder = tempfile::tempdir().expect("there is room");
        let (path, written) = (folder.path().join("control"), AtomicBool::new(false));
        write_control(&path, &control(0)).expect("it can be written");
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let (mut last, mut seen) = (0, 0);
                loop {
                    // The loop reads once more after the end, so that a slow reader sees the last file.
                    let is_over = written.load(Ordering::Acquire);
                    let generation = generation(&path);
                    assert!(generation >= last);
                    seen += usize::from(generation > last);
                    last = generation;
                    if is_over {
                        break seen;
                    }
                }
            });
            for generation in 1..=200 {
                write_control(&path, &control(generation)).expect("it can be written");
            }
            written.store(true, Ordering::Release);
            assert!(reader.join().expect("every file was whole") > 0);
        });
        assert_eq!(generation(&path), 200);
        assert!(!beside(&path).exists());
    }

    #[test]
    fn only_the_owner_and_a_permitted_group_can_read_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let (path, elsewhere) = (folder.path().join("control"), folder.path().join("elsewhere"));
        let mode = || fs::metadata(&path).expect("it is there").permissions().mode() & 0o777;
        fs::write(&elsewhere, "kept").expect("there is room");
        symlink(&elsewhere, beside(&path)).expect("links can be made");
        write_control(&path, &control(1)).expect("it can be written");
        assert_eq!((mode(), generation(&path)), (0o600, 1));
        assert_eq!(fs::read_to_string(&elsewhere).expect("it is there"), "kept");
        fs::set_permissions(&path, Permissions::from_mode(0o664)).expect("it is ours");
        write_control(&path, &control(2)).expect("it can be written");
        assert_eq!((mode(), generation(&path)), (0o640, 2));
    }

    /// The test runs itself again with a limit on file sizes, which fails like a full disk.
    #[test]
    fn a_full_disk_is_an_error_and_the_old_file_stays() {
        const FOLDER: &str = "TIERUP_TEST_FULL_DISK";
        if let Some(folder) = env::var_os(FOLDER) {
            let path = Path::new(&folder).join("control");
            let error = write_control(&path, &control(2)).expect_err("there is no room").to_string();
            assert!(error.contains("cannot write"), "{error}");
            assert!(generation(&path) == 1 && !beside(&path).exists());
            return;
        }
        let folder = tempfile::tempdir().expect("there is room");
        write_control(&folder.path().join("control"), &control(1)).expect("there is room");
        let name = "actuator::control_file::tests::a_full_disk_is_an_error_and_the_old_file_stays";
        let limited = format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact {name}");
        let own = env::current_exe().expect("it runs");
        let child = Command::new("sh").arg("-c").arg(limited).arg(own).env(FOLDER, folder.path()).output();
        let child = child.expect("there is a shell");
        let printed = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && printed.contains("1 passed"), "{printed}");
        // Without the limit it succeeds.
        write_control(&folder.path().join("control"), &control(3)).expect("there is room");
    }
}
