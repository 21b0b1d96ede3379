//! Writes generated files: unchanged files are not touched, changed files are replaced as a whole, and files that are
//! no longer generated are removed. Files that tierup did not write are never removed.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process,
};

use tierup_codegen::Files;

use crate::{Error, Result};

/// The result of [`write()`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub changed: usize,
    pub unchanged: usize,
    pub removed: usize,
}

/// Makes `root` hold `files`. `root/.generated` lists the names that tierup wrote, so that files that are no longer
/// generated can be removed without touching any others.
///
/// # Errors
/// A file cannot be read, written or removed. Files written before that stay, each of them complete.
pub fn write(files: &Files, root: &Path) -> Result<Written> {
    write_listed(files, root, &root.join(".generated"), "files that tierup generated; removed when no longer needed")
}

/// Does the same with the list of names in another file, after a first line that the caller chooses.
pub(crate) fn write_listed(files: &Files, root: &Path, list: &Path, first_line: &str) -> Result<Written> {
    let before = listed(list)?;
    let now: BTreeSet<String> = files.iter().map(|(name, _)| name.to_owned()).collect();
    // Old and new names are both listed while files change, so that an interrupted run leaves no file unlisted.
    let both: BTreeSet<String> = before.union(&now).cloned().collect();
    if both != before {
        write_file(list, list_text("incomplete", &both).as_bytes())?;
    }

    let mut written = Written::default();
    for (name, content) in files.iter() {
        if write_file(&root.join(name), content)? {
            written.changed += 1;
        } else {
            written.unchanged += 1;
        }
    }
    for name in before.difference(&now).filter(|name| is_inside(name)) {
        remove(root, name)?;
        written.removed += 1;
    }
    write_file(list, list_text(first_line, &now).as_bytes())?;
    Ok(written)
}

/// Makes `path` hold `content`, and creates the folders above it. Returns whether anything changed.
///
/// # Errors
/// The file cannot be read or written. Its previous content then remains.
pub fn write_file(path: &Path, content: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|before| before == content) {
        return Ok(false);
    }
    replace(path, |temporary| {
        fs::write(temporary, content)?;
        set_mode(temporary, path, content)
    })?;
    Ok(true)
}

/// A replaced file keeps its permissions. Scripts are executable from the start: npm makes a package's program
/// executable once, when it is installed, and a later build must not undo that.
#[cfg(unix)]
fn set_mode(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let before = fs::metadata(path).or_else(|_| fs::metadata(temporary))?;
    let execute = if content.starts_with(b"#!") { 0o111 } else { 0 };
    fs::set_permissions(temporary, fs::Permissions::from_mode(before.permissions().mode() | execute))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: &Path, _: &[u8]) -> io::Result<()> {
    Ok(())
}

/// Puts the file that `make` writes at `path`, so that readers see either the old file or the new one, but no mixture.
pub(crate) fn replace(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // In the same folder, because a rename across file systems is a copy.
    let temporary = folder.join(format!(".{name}.{}", process::id()));
    let made = make(&temporary).and_then(|()| fs::rename(&temporary, path));
    if made.is_err() {
        // The first error is reported, whether or not this succeeds.
        let _ = fs::remove_file(&temporary);
    }
    made.map_err(Error::file("write", path))
}

/// The text of a file; `None` if there is no such file.
///
/// # Errors
/// The file exists but cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", path)(error)),
    }
}

/// The first line of a list; `None` if there is no list.
pub(crate) fn first_line(list: &Path) -> Result<Option<String>> {
    let text = read_text(list)?;
    Ok(text.and_then(|text| Some(text.lines().next()?.strip_prefix("# ")?.to_owned())))
}

/// The names in a list; empty if there is no list.
pub(crate) fn listed(list: &Path) -> Result<BTreeSet<String>> {
    let text = read_text(list)?.unwrap_or_default();
    Ok(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
}

fn list_text(first_line: &str, names: &BTreeSet<String>) -> String {
    let names: String = names.iter().map(|name| format!("{name}\n")).collect();
    format!("# {first_line}\n{names}")
}

/// Whether a name stays inside the root. Users can edit a list, so names that lead elsewhere are ignored.
fn is_inside(name: &str) -> bool {
    !name.is_empty() && !name.contains('\\') && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn remove(root: &Path, name: &str) -> Result<()> {
    let path: PathBuf = root.join(name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Error::file("remove", &path)(error));
        }
        _ => {}
    }
    // Folders that are empty now were made for this file; the first folder that is not empty ends the loop.
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
