//! Room on the disk.

use std::path::Path;

/// Bytes that this user may still write to the disk of `path`; `None` where the system does not tell.
#[cfg(unix)]
pub fn free_space(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub fn free_space(_path: &Path) -> Option<u64> {
    None
}
