//! Counts how often `0:memo` found an answer in its cache. The server's processes write the counts into a folder.
//!
//! Each process writes its own file, at most ten times a second: calls, cache hits, entries, bytes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use tempfile::TempDir;
use tierup_bench::record::Reuse;

/// The variable that names the folder.
const VARIABLE: &str = "TIERUP_MEMO_COUNTS";

/// The counts of a server that is started several times.
pub(crate) struct Counts {
    folder: TempDir,
    /// The number of the last start. The processes of each start write into a folder of their own.
    starts: AtomicUsize,
}

impl Counts {
    /// Makes a new folder below `folder`, which is removed at the end.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn below(folder: &Path) -> io::Result<Counts> {
        let folder = tempfile::Builder::new().prefix("counts-").tempdir_in(folder)?;
        Ok(Counts { folder, starts: AtomicUsize::new(0) })
    }

    /// The variable for a server that is about to start; `None` if its folder cannot be made.
    pub(crate) fn environment(&self) -> Option<(String, String)> {
        let folder = self.of(self.starts.fetch_add(1, Ordering::SeqCst) + 1);
        fs::create_dir(&folder).ok()?;
        Some((VARIABLE.to_owned(), folder.display().to_string()))
    }

    /// The sum over all processes of the server that was started last.
    pub(crate) fn read(&self) -> Reuse {
        let files = fs::read_dir(self.of(self.starts.load(Ordering::SeqCst)));
        let texts = files.into_iter().flatten().flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
        texts.filter_map(|text| read(&text)).fold(Reuse::default(), |sum, one| Reuse {
            calls: sum.calls + one.calls,
            hits: sum.hits + one.hits,
            entries: sum.entries + one.entries,
            bytes: sum.bytes + one.bytes,
        })
    }

    fn of(&self, start: usize) -> PathBuf {
        self.folder.path().join(start.to_string())
    }
}

/// `None` if the file has just been created, and is not written yet.
fn read(text: &str) -> Option<Reuse> {
    let numbers: Vec<u64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [calls, hits, entries, bytes] = numbers[..] else { return None };
    Some(Reuse { calls, hits, entries, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processes_of_the_last_start_are_summed() {
        let below = tempfile::tempdir().expect("a folder");
        let counts = Counts::below(below.path()).expect("a folder below it");
        assert_eq!(counts.read(), Reuse::default());
        let write = |texts: &[&str]| {
            let (_, folder) = counts.environment().expect("a folder for this start");
            for (number, text) in texts.iter().enumerate() {
                fs::write(Path::new(&folder).join(format!("{number}.counts")), text).expect("it is there");
            }
        };
        write(&["9 9 9 9\n"]);
        write(&["10 7 3 900   \n", "5 0 2 100\n", "", "1 2"]);
        assert_eq!(counts.read(), Reuse { calls: 15, hits: 7, entries: 5, bytes: 1000 });
    }
}
