//! `.tierup/Cargo.lock` starts as a copy of the user's, so that the tiers are built with the versions that the user
//! tested. Cargo adds what the shims need.

use std::path::Path;

use tierup_diagnostic::Result;
use tierup_runner::{read_text, write_file};

/// The user's lock file as it was copied last.
pub(super) const SEED: &str = ".seed.lock";

/// Copies the lock file of the workspace in `root` to `work`, the first time and whenever the user's changed.
pub(crate) fn seed(root: &Path, work: &Path) -> Result<()> {
    let Some(users) = read_text(&root.join("Cargo.lock"))? else { return Ok(()) };
    let (seed, lock) = (work.join(SEED), work.join("Cargo.lock"));
    if read_text(&seed)?.as_ref() == Some(&users) && lock.exists() {
        return Ok(());
    }
    write_file(&lock, users.as_bytes())?;
    write_file(&seed, users.as_bytes())?;
    Ok(())
}
