//! Copies a built file to its place, and tells how much space the disk has.

use std::{fs, io, path::Path};

use crate::{Error, Result, files};

/// Copies `from` to `to` with its permissions, unless `to` already holds the same.
///
/// The old file is replaced rather than written into: a running server may still have it mapped.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let built = fs::metadata(from).map_err(Error::file("read", from))?;
    let same_size = fs::metadata(to).is_ok_and(|there| there.len() == built.len());
    if same_size && same_content(from, to).unwrap_or(false) {
        return Ok(());
    }
    files::replace(to, |temporary| fs::copy(from, temporary).map(drop))
}

fn same_content(a: &Path, b: &Path) -> io::Result<bool> {
    Ok(fs::read(a)? == fs::read(b)?)
}

/// Bytes that this user may still write to the disk of `path`; `None` if the system does not tell.
#[cfg(unix)]
pub fn free_space(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub fn free_space(_path: &Path) -> Option<u64> {
    None
}
