//! The lock of a project's `.tierup/`: builds wait for each other, and for those who use what is built.

use tierup_diagnostic::Result;
use tierup_project::Loaded;
use tierup_runner::{Lock, Observer};

/// Keeps others from changing what is built, until it is dropped. Several may use it at a time. Nothing of the project can
/// be built meanwhile, not even by this process.
///
/// # Errors
/// Where the lock file cannot be made, or the user interrupts the wait.
pub fn hold(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::share(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

/// Keeps others from building and from using what is built, until it is dropped.
pub(crate) fn lock(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::take(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

const LOCK: &str = "lock";

/// This process, for others that wait.
fn who() -> String {
    let word = std::env::args_os().nth(1).unwrap_or_default();
    format!("`tierup {}`", word.to_string_lossy())
}

fn waits_for(holder: &str) -> String {
    let holder = if holder.is_empty() { "another tierup" } else { holder };
    format!("{holder} uses this project; waiting until it is done")
}
