//! A package as a `.tar.gz`. In: its files. Out: the archive's bytes, which are the same for the same files: no times, no owners.
//! GNU's tar writes such archives, too, but not every system has it.

use std::io::{Error, Result, Write as _};

use flate2::{Compression, write::GzEncoder};
use object::FileKind;
use tierup_codegen::Files;

/// Headers have this size, and contents are filled up to a multiple of it.
const BLOCK: usize = 512;

/// # Errors
/// If a file's name is too long for the format.
pub(super) fn tar_gz(files: &Files) -> Result<Vec<u8>> {
    let mut archive = GzEncoder::new(Vec::new(), Compression::default());
    for (name, content) in files.iter() {
        archive.write_all(&header(name, content)?)?;
        archive.write_all(content)?;
        archive.write_all(&[0; BLOCK][..content.len().next_multiple_of(BLOCK) - content.len()])?;
    }
    archive.write_all(&[0; 2 * BLOCK])?;
    archive.finish()
}

/// Whether a file is a program or a library, which is executable in a package.
pub(super) fn is_built(content: &[u8]) -> bool {
    FileKind::parse(content).is_ok()
}

/// As "ustar Interchange Format" has it: <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html>.
fn header(name: &str, content: &[u8]) -> Result<[u8; BLOCK]> {
    // A long name is cut at a slash.
    let cuts = name.match_indices('/').map(|(at, _)| (&name[..at], &name[at + 1..]));
    let mut cuts = [("", name)].into_iter().chain(cuts);
    let (prefix, name) = cuts
        .find(|(prefix, name)| prefix.len() <= 155 && name.len() <= 100)
        .ok_or_else(|| Error::other(format!("the name `{name}` is too long for an archive")))?;
    let size = format!("{:011o}", content.len());
    let mode = if is_built(content) { "0000755" } else { "0000644" };
    let (owner, group, modified, kind) = ("0000000", "0000000", "00000000000", "0");
    let fields = [
        (0, name),
        (100, mode),
        (108, owner),
        (116, group),
        (124, &*size),
        (136, modified),
        (156, kind),
        (257, "ustar\x0000"),
        (345, prefix),
    ];
    let mut header = [0; BLOCK];
    for (at, text) in fields {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    // The sum is computed as if its own field had spaces.
    let sum = header.iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * u32::from(b' ');
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

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
        for (name, content) in files.iter() {
            assert!(fs::read(folder.path().join(name)).unwrap() == content, "{name}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode() & 0o111;
            assert_eq!((mode("a.txt"), mode("bin/program") & 0o100), (0, 0o100));
        }
        assert!(tar_gz(&Files::new().with("n".repeat(101), "")).is_err());
    }
}
