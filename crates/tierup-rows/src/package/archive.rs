//! A package as a `.tar.gz`. In: its files. Out: the archive's bytes, which are the same for the same files: no times, no
//! owners. GNU's tar can write such archives, but not every system has it.

use std::{fs, io::Result, path::Path};

use flate2::{Compression, write::GzEncoder};
use object::FileKind;
use tar::{Builder, EntryType, Header};
use tierup_codegen::Files;

/// # Errors
/// If a file's name is too long for the format.
pub(super) fn tar_gz(files: &Files) -> Result<Vec<u8>> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, content) in files.iter() {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_path(name)?;
        header.set_mode(mode(content));
        header.set_size(content.len() as u64);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_cksum();
        archive.append(&header, content)?;
    }
    archive.into_inner()?.finish()
}

/// The permissions of a file in a package: programs and libraries are executable, as linkers leave them.
pub(super) fn mode(content: &[u8]) -> u32 {
    if FileKind::parse(content).is_ok() { 0o755 } else { 0o644 }
}

/// The files in a folder and below it.
///
/// # Errors
/// If one cannot be read.
pub(super) fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder)? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let name = name.to_string_lossy();
        match entry.is_dir() {
            true => files.extend_below(&name, read(&entry)?),
            false => files.add(name, fs::read(&entry)?),
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Contents are filled up to a multiple of this size.
    const BLOCK: usize = 512;

    #[test]
    fn tar_unpacks_what_was_packed_and_the_bytes_are_always_the_same() {
        let deep = "folder/".repeat(20) + &"n".repeat(90);
        let program = fs::read(std::env::current_exe().unwrap()).unwrap();
        let files = Files::new()
            .with("a.txt", "a")
            .with("block", [7; BLOCK])
            .with("empty", "")
            .with("bin/program", program)
            .with(&*deep, "deep");
        let archive = tar_gz(&files).unwrap();
        assert!(archive == tar_gz(&files).unwrap());
        // No time of its own: https://www.rfc-editor.org/rfc/rfc1952.
        assert_eq!(archive[4..8], [0; 4]);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("archive"), archive).unwrap();
        let tar = Command::new("tar").args(["-xzf", "archive"]).current_dir(folder.path()).output().unwrap();
        assert!(tar.status.success() && tar.stderr.is_empty(), "{tar:?}");
        fs::remove_file(folder.path().join("archive")).unwrap();
        assert!(read(folder.path()).unwrap() == files);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode() & 0o111;
            assert_eq!((mode("a.txt"), mode("bin/program") & 0o100), (0, 0o100));
        }
        assert!(tar_gz(&Files::new().with("n".repeat(101), "")).is_err());
    }
}
