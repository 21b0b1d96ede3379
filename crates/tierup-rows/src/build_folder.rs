//! The build folder that all projects of a user share, so that common dependencies are compiled once: those of the
//! shims (axum, napi, pyo3, wasmtime), if version, features, profile and compiler are the same.
//!
//! Cargo itself decides what is the same: it names an intermediate result by a hash of all its inputs. It has such
//! folders since 1.91 (`build.build-dir`); an older cargo ignores the variable, and compiles for each project anew.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf, absolute},
    time::{Duration, SystemTime},
};

use etcetera::BaseStrategy;

/// Cargo's variable for the build folder. If the user has set it, tierup uses the user's folder.
const VARIABLE: &str = "CARGO_BUILD_BUILD_DIR";
/// A larger folder is emptied, as nothing else removes the results of old dependencies and compilers. The dependencies
/// of all seven hosts take 2 GB.
const LARGEST: u64 = 12 << 30;
/// How often the folder's size is computed, which takes a second.
const LOOK: Duration = Duration::from_hours(24);

/// The build folder while a build uses it. Meanwhile, it is not emptied.
pub(crate) struct BuildFolder {
    path: PathBuf,
    used: File,
}

impl Drop for BuildFolder {
    /// Closing the file is not enough: a process that another thread is starting has a copy of it until `exec`.
    fn drop(&mut self) {
        // If unlocking fails, the lock ends when the last copy is closed.
        let _ = self.used.unlock();
    }
}

impl BuildFolder {
    /// Opens the folder in this cache, and keeps its size limited. `None` if the user has named another folder, or if
    /// it cannot be made: then each project has its own.
    pub(crate) fn open(cache: &Path) -> Option<BuildFolder> {
        let is_named = env::var_os(VARIABLE).is_some_and(|path| !path.is_empty());
        if is_named { None } else { open(cache, LARGEST) }
    }

    /// The variable that tells cargo the folder.
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
    // Builds share the lock; emptying the folder needs it exclusively.
    if (is_new || is_due) && used.try_lock().is_ok() {
        if size(&path) > largest {
            // Some files may stay, which is harmless: cargo checks them.
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).ok()?;
        }
        let _ = fs::write(&lock, "tierup\n");
        let _ = used.set_modified(SystemTime::now());
        let _ = used.unlock();
    }
    // This waits only while another tierup empties the folder, as builds share the lock.
    used.lock_shared().ok()?;
    Some(BuildFolder { path, used })
}

/// The size in bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .map(|(path, metadata)| if metadata.is_dir() { size(&path) } else { metadata.len() })
        .sum()
}

/// The cache for all projects of a user: `TIERUP_CACHE`, or one in the system's cache folder, or in the project.
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

    /// Puts a file of ten bytes into a cache's build folder, begins another build, and tells whether the file is kept.
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
    fn a_large_folder_is_emptied_once_a_day_while_nobody_builds() {
        assert!(!keeps(9, true, false));
        assert!(keeps(10, true, false));
        assert!(keeps(9, false, false));
        assert!(keeps(9, true, true));
    }

    #[test]
    fn there_is_no_folder_if_none_can_be_made() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("file"), "").unwrap();
        assert!(open(&cache.path().join("file"), LARGEST).is_none());
    }
}
