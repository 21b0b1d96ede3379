//! The build folder that all projects of a user share, so that what two projects have in common is compiled once: the
//! dependencies of the shims (axum, napi, pyo3, wasmtime), where version, features, profile and compiler are the same.
//!
//! Cargo itself decides what is the same: the name of an intermediate result is a hash of all that it was made from. It has
//! such folders since 1.91 (`build.build-dir`); an older cargo ignores the variable, and each project compiles for itself.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf, absolute},
    time::{Duration, SystemTime},
};

use etcetera::BaseStrategy;

/// The variable by which cargo knows it. Where the user's environment has it, the user's folder is taken.
const VARIABLE: &str = "CARGO_BUILD_BUILD_DIR";
/// A larger folder is emptied: nobody else removes what old versions of dependencies and compilers left. The seven hosts'
/// dependencies take 2 GB.
const LARGEST: u64 = 12 << 30;
/// How often its size is looked at, which takes a second.
const LOOK: Duration = Duration::from_hours(24);

/// The folder while a build uses it; nobody empties it meanwhile.
pub(crate) struct BuildFolder {
    path: PathBuf,
    _used: File,
}

impl BuildFolder {
    /// The folder in this cache, bounded in size. None where the user named another, or none can be made: then each
    /// project has its own.
    pub(crate) fn open(cache: &Path) -> Option<BuildFolder> {
        let is_named = env::var_os(VARIABLE).is_some_and(|path| !path.is_empty());
        if is_named { None } else { open(cache, LARGEST) }
    }

    /// The variable for cargo.
    pub(crate) fn variable(&self) -> (String, String) {
        (VARIABLE.to_owned(), self.path.display().to_string())
    }
}

fn open(cache: &Path, largest: u64) -> Option<BuildFolder> {
    let path = cache.join("build");
    fs::create_dir_all(&path).ok()?;
    let lock = cache.join("build.lock");
    let used = File::options().create(true).truncate(false).read(true).write(true).open(&lock).ok()?;
    let looked = fs::metadata(&lock).and_then(|file| file.modified()).ok();
    let is_new = used.metadata().is_ok_and(|file| file.len() == 0);
    let is_due = looked.and_then(|looked| looked.elapsed().ok()).is_none_or(|age| age >= LOOK);
    // Builds share the lock; removing needs it exclusively.
    if (is_new || is_due) && used.try_lock().is_ok() {
        if size(&path) > largest {
            // Files that cannot be removed stay; cargo checks them.
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).ok()?;
        }
        let _ = fs::write(&lock, "tierup\n");
        let _ = used.set_modified(SystemTime::now());
        let _ = used.unlock();
    }
    // This blocks only while another tierup empties the folder: builders share the lock.
    used.lock_shared().ok()?;
    Some(BuildFolder { path, _used: used })
}

/// In bytes, of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .map(|(path, metadata)| if metadata.is_dir() { size(&path) } else { metadata.len() })
        .sum()
}

/// The folder for what tierup builds once for all projects of a user: `TIERUP_CACHE`, or `tierup` in the platform's folder for caches; a project's own where a user has no home.
pub(crate) fn cache_folder(work: &Path) -> PathBuf {
    let named = env::var_os("TIERUP_CACHE").filter(|path| !path.is_empty());
    let named = named.and_then(|path| absolute(path).ok());
    let native =
        || etcetera::base_strategy::choose_native_strategy().ok().map(|native| native.cache_dir().join("tierup"));
    named.or_else(native).unwrap_or_else(|| work.join("cache"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with a file of ten bytes in its build folder, and whether it is still there after another build began.
    fn keeps(largest: u64, is_due: bool, is_used: bool) -> bool {
        let cache = tempfile::tempdir().unwrap();
        let first = open(cache.path(), largest).unwrap();
        let file = first.path.join("release/deps/libone.rlib");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "0123456789").unwrap();
        if is_due {
            let lock = File::options().write(true).open(cache.path().join("build.lock")).unwrap();
            lock.set_modified(SystemTime::now() - 2 * LOOK).unwrap();
        }
        let first = is_used.then_some(first);
        let second = open(cache.path(), largest).unwrap();
        drop(first);
        assert!(second.path.is_dir());
        file.exists()
    }

    #[test]
    fn a_folder_that_is_too_large_is_emptied_once_a_day_while_nobody_builds() {
        assert!(!keeps(9, true, false));
        assert!(keeps(10, true, false));
        assert!(keeps(9, false, false));
        assert!(keeps(9, true, true));
    }

    #[test]
    fn where_no_folder_can_be_made_there_is_none() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("file"), "").unwrap();
        assert!(open(&cache.path().join("file"), LARGEST).is_none());
    }
}
