//! A log file, followed over rotations.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{Error, Result};

/// The most bytes that one call reads.
const MOST: u64 = 8 << 20;
/// A line has about eighty bytes; longer ones are not in tierup's format.
const LONGEST: usize = 4 << 10;
/// Workers open the new file a moment after the rotation, and write to the old one until then.
const OLD_ONE_IS_QUIET: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Followed {
    path: PathBuf,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    read: u64,
    /// The beginning of a line that has not arrived completely.
    rest: Vec<u8>,
    /// When another file was first seen at the path.
    replaced: Option<Instant>,
}

impl Followed {
    pub(crate) fn new(path: PathBuf) -> Followed {
        Followed { path, open: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the lines that were added since the last call. The first call reads none.
    pub(crate) fn read(&mut self, mut line: impl FnMut(&str)) -> Result<()> {
        let failed = |error| Error::file("read", &self.path)(error);
        let Some(open) = &mut self.open else {
            let mut file = File::open(&self.path).map_err(failed)?;
            let read = file.seek(SeekFrom::End(0)).map_err(failed)?;
            self.open = Some(Open { file, read, rest: Vec::new(), replaced: None });
            return Ok(());
        };
        let count = open.read(&mut line).map_err(failed)?;
        let own = open.file.metadata().map_err(failed)?;
        let same = |there: &Metadata| (there.dev(), there.ino()) == (own.dev(), own.ino());
        // As long as no new file exists, the old one is written to, even if it was moved.
        if fs::metadata(&self.path).is_ok_and(|there| !same(&there)) {
            let replaced = *open.replaced.get_or_insert_with(Instant::now);
            if count == 0 && replaced.elapsed() >= OLD_ONE_IS_QUIET {
                let file = File::open(&self.path).map_err(failed)?;
                *open = Open { file, read: 0, rest: Vec::new(), replaced: None };
                open.read(&mut line).map_err(failed)?;
            }
        }
        Ok(())
    }
}

impl Open {
    /// Reads on, and returns the number of bytes.
    fn read(&mut self, line: &mut impl FnMut(&str)) -> io::Result<usize> {
        if self.file.metadata()?.len() < self.read {
            // The file was truncated.
            self.file.seek(SeekFrom::Start(0))?;
            (self.read, self.rest) = (0, Vec::new());
        }
        let count = (&self.file).take(MOST).read_to_end(&mut self.rest)?;
        self.read += count as u64;
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        String::from_utf8_lossy(&self.rest[..whole]).lines().for_each(line);
        self.rest.drain(..whole);
        if self.rest.len() > LONGEST {
            self.rest.clear();
        }
        Ok(count)
    }
}
