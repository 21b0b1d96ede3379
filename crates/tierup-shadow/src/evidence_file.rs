//! The files that one run of a proxy appends its evidence to: `evidence/<run>-<number>.jsonl` in the state folder.
//!
//! In: lines. Out: files that only their owner can read, none larger than [`FILE`], all together below a limit. A disk
//! that is full and a folder that cannot be written cost lines, which a reader sees by their numbers, and nothing else.

use std::{
    collections::VecDeque,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tierup_rollout::evidence::{Entry, Line};

/// The largest size of a file, in bytes.
const FILE: u64 = 64 << 20;
/// Readers skip longer lines.
const LONGEST_LINE: usize = 900 << 10;
/// Between two attempts to make a file.
const AGAIN: Duration = Duration::from_secs(5);

/// Appends lines.
#[derive(Debug)]
pub struct EvidenceFile {
    folder: PathBuf,
    run: String,
    file_bytes: u64,
    most_files: usize,
    /// All files of this run that are still there, the newest at the end.
    files: VecDeque<PathBuf>,
    made: u64,
    open: Option<Open>,
    /// Lines that were lost since a file could be written the last time.
    lost: u64,
    tried: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    file: File,
    size: u64,
    /// Of the last line, written or lost.
    number: u64,
    /// The last line was cut.
    is_cut: bool,
}

impl EvidenceFile {
    /// For one run, in a state folder. `limit` is that of all its files together, in bytes. Nothing is written yet.
    pub fn new(state: &Path, limit: u64) -> EvidenceFile {
        EvidenceFile::with_files(state, FILE.min(limit.max(1) / 2).max(1), limit)
    }

    fn with_files(state: &Path, file_bytes: u64, limit: u64) -> EvidenceFile {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let run = format!("{since}-{}-{:08x}", std::process::id(), rand::random::<u32>());
        EvidenceFile {
            folder: state.join("evidence"),
            run,
            file_bytes,
            most_files: usize::try_from(limit / file_bytes).unwrap_or(usize::MAX).max(1),
            files: VecDeque::new(),
            made: 0,
            open: None,
            lost: 0,
            tried: None,
        }
    }

    /// Writes a line under the file's next number.
    ///
    /// # Errors
    /// It could not be written whole: the line is lost, and the next one is tried.
    pub fn append(&mut self, mut line: Line) -> io::Result<()> {
        let written = self.room().and_then(|()| {
            let Some(open) = &mut self.open else { return Err(io::ErrorKind::NotFound.into()) };
            open.number += 1;
            line.number = open.number;
            open.write(&text(line)?)
        });
        match &written {
            Ok(()) => self.lost = 0,
            // A new file begins with a gap.
            Err(_) => self.lost += 1,
        }
        written
    }

    /// A file that has room.
    fn room(&mut self) -> io::Result<()> {
        if let Some(open) = &self.open {
            // Somebody who removes the file wants a new one, not lines that nobody can read.
            let is_there = open.file.metadata().is_ok_and(|metadata| metadata.nlink() > 0);
            if is_there && open.size < self.file_bytes {
                return Ok(());
            }
            self.open = None;
            self.lost = 0;
        } else if self.tried.is_some_and(|tried| tried.elapsed() < AGAIN) && self.lost > 0 {
            return Err(io::Error::other(format!("cannot write to `{}`", self.folder.display())));
        }
        self.tried = Some(Instant::now());
        make_folder(&self.folder)?;
        while self.files.len() >= self.most_files {
            if let Some(oldest) = self.files.pop_front() {
                // It may be gone already.
                let _ = fs::remove_file(oldest);
            }
        }
        let path = self.folder.join(format!("{}-{}.jsonl", self.run, self.made + 1));
        // A link at this place is not followed: it is no new file.
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        self.made += 1;
        self.files.push_back(path);
        self.open = Some(Open { file, size: 0, number: self.lost, is_cut: false });
        Ok(())
    }
}

impl Open {
    fn write(&mut self, text: &str) -> io::Result<()> {
        // A line that was cut must not spoil this one.
        let text = if self.is_cut { format!("\n{text}") } else { text.to_owned() };
        let before = self.file.metadata().map(|metadata| metadata.len()).unwrap_or(self.size);
        match self.file.write_all(text.as_bytes()) {
            Ok(()) => {
                self.size = before + text.len() as u64;
                self.is_cut = false;
                Ok(())
            }
            Err(error) => {
                self.size = self.file.metadata().map(|metadata| metadata.len()).unwrap_or(before);
                self.is_cut |= self.size > before;
                Err(error)
            }
        }
    }
}

/// The line, without the details of its counts if it would be too long for readers.
fn text(mut line: Line) -> io::Result<String> {
    let text = line.to_text()?;
    if text.len() <= LONGEST_LINE {
        return Ok(text);
    }
    if let Entry::Slot(slot) = &mut line.entry {
        for copies in &mut slot.copies {
            for reasons in [&mut copies.kinds, &mut copies.dropped, &mut copies.not_comparable] {
                let sum = reasons.values().sum::<u64>();
                reasons.clear();
                if sum > 0 {
                    reasons.insert("(others)".to_owned(), sum);
                }
            }
        }
    }
    Ok(line.to_text()?)
}

/// Makes the folder, which git ignores and only its owner can look into.
fn make_folder(folder: &Path) -> io::Result<()> {
    let state = folder.parent().unwrap_or(folder);
    if !state.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(state)?;
        fs::write(state.join(".gitignore"), "*\n")?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    match fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::NotADirectory, format!("`{}` is no folder", folder.display()))),
    }
}

#[cfg(test)]
mod tests;
