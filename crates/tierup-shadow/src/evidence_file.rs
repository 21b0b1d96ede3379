//! The files to which one run of a proxy appends its evidence: `evidence/<run>-<number>.jsonl` in the state folder.
//!
//! In: lines. Out: files that only their owner can read, each at most about [`FILE`] bytes large and open for at most a
//! [`DAY`]. All files of the folder together, including those of earlier runs, stay below a limit. Each begins with the
//! run's [`Event::Began`], so that none needs an earlier file. A full disk or a read-only folder only costs lines,
//! whose missing numbers a reader notices.

use std::{
    collections::VecDeque,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{
        self,
        ErrorKind::{AlreadyExists, PermissionDenied, ReadOnlyFilesystem},
        Write as _,
    },
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tierup_rollout::{
    evidence::{Entry, Event, Line},
    files::{ENDING, Keeping, Listed},
};

/// The largest size of a file, in bytes.
const FILE: u64 = 64 << 20;
/// A file ends after this time, because old evidence is removed by the age of files.
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Readers skip longer lines.
const LONGEST_LINE: usize = 900 << 10;
/// The time between two attempts to create a file.
const AGAIN: Duration = Duration::from_secs(5);

/// Appends lines.
#[derive(Debug)]
pub struct EvidenceFile {
    folder: PathBuf,
    run: String,
    file_bytes: u64,
    keeping: Keeping,
    /// The event with which the proxy began.
    began: Option<Event>,
    /// The files of this run that still exist, the newest at the end.
    files: VecDeque<PathBuf>,
    made: u64,
    open: Option<Open>,
    /// How many lines were lost since a file could last be written.
    lost: u64,
    tried: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    file: File,
    size: u64,
    /// The number of the last line, written or lost.
    number: u64,
    /// Whether the last line is incomplete.
    is_cut: bool,
    since: Instant,
    /// Whether the file has the event with which the proxy began.
    has_begun: bool,
}

impl EvidenceFile {
    /// The files of one run in a state folder. `limit` is for all files there together, in bytes; files to which other
    /// proxies are writing stay, even above it. It writes nothing yet.
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
            keeping: Keeping { bytes: limit, ..Keeping::default() },
            began: None,
            files: VecDeque::new(),
            made: 0,
            open: None,
            lost: 0,
            tried: None,
        }
    }

    /// Writes a line with the file's next number.
    ///
    /// # Errors
    /// If it was not written completely. The line is lost; the next one is tried.
    pub fn append(&mut self, line: Line) -> io::Result<()> {
        if let Entry::Event(event @ Event::Began { .. }) = &line.entry {
            self.began = Some(event.clone());
        }
        let written = self.room().and_then(|()| self.write(line));
        match &written {
            Ok(()) => self.lost = 0,
            // The numbers of a new file begin after the lost lines.
            Err(_) => self.lost += 1,
        }
        written
    }

    fn write(&mut self, line: Line) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Err(io::ErrorKind::NotFound.into()) };
        if let Some(began) = self.began.as_ref().filter(|_| !open.has_begun) {
            let first = Line { entry: Entry::Event(began.clone()), ..line };
            let is_it = first.entry == line.entry;
            open.append(first)?;
            open.has_begun = true;
            if is_it {
                return Ok(());
            }
        }
        open.append(line)
    }

    /// Opens a file with room.
    fn room(&mut self) -> io::Result<()> {
        if let Some(open) = &self.open {
            // If the file was removed, a new one is needed: lines in the old one could never be read.
            let is_there = open.file.metadata().is_ok_and(|metadata| metadata.nlink() > 0);
            if is_there && open.size < self.file_bytes && open.since.elapsed() < DAY {
                return Ok(());
            }
            self.open = None;
            self.lost = 0;
        } else if self.tried.is_some_and(|tried| tried.elapsed() < AGAIN) && self.lost > 0 {
            return Err(io::Error::other(format!("cannot write to `{}`", self.folder.display())));
        }
        self.tried = Some(Instant::now());
        make_folder(&self.folder)?;
        self.remove_old();
        let path = self.folder.join(format!("{}-{}{ENDING}", self.run, self.made + 1));
        // `create_new` refuses to follow a link at this path.
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        self.made += 1;
        self.files.push_back(path);
        let since = Instant::now();
        self.open = Some(Open { file, size: 0, number: self.lost, is_cut: false, since, has_begun: false });
        Ok(())
    }

    /// Removes files that are too old or too many: first of ended runs, then of this one. Failures are ignored.
    fn remove_old(&mut self) {
        let (mut of_others, mut own) = (Vec::new(), 0);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(ENDING));
            let Some(name) = name.filter(|_| metadata.is_file()) else { continue };
            let bytes = metadata.len();
            if self.files.contains(&path) {
                own += bytes;
            } else {
                let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
                of_others.push(Listed { name: name.to_owned(), age, bytes });
            }
        }
        // This is room for the next file.
        own += self.file_bytes;
        for name in self.keeping.old(of_others, own) {
            let _ = fs::remove_file(self.folder.join(name));
        }
        let is_old = |path: &PathBuf| {
            let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
            modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > self.keeping.age)
        };
        while self.files.front().is_some_and(|oldest| own > self.keeping.bytes || is_old(oldest)) {
            if let Some(oldest) = self.files.pop_front() {
                own = own.saturating_sub(fs::metadata(&oldest).map_or(0, |metadata| metadata.len()));
                let _ = fs::remove_file(oldest);
            }
        }
    }
}

impl Open {
    /// Appends a line with the next number, which is used up even if that fails.
    fn append(&mut self, mut line: Line) -> io::Result<()> {
        self.number += 1;
        line.number = self.number;
        self.write(&text(line)?)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        // The new line must not continue an incomplete one.
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

/// The line as text. If it would be too long for readers, the counts by reason are replaced by their sums.
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

/// Creates the folder, which git ignores and only its owner can read.
fn make_folder(folder: &Path) -> io::Result<()> {
    let state = folder.parent().unwrap_or(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(state)?;
    match OpenOptions::new().write(true).create_new(true).open(state.join(".gitignore")) {
        Ok(mut ignore) => ignore.write_all(b"*\n")?,
        // If no file can be created beside the evidence, there may still be room for the evidence.
        Err(error) if matches!(error.kind(), AlreadyExists | PermissionDenied | ReadOnlyFilesystem) => {}
        Err(error) => return Err(error),
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == AlreadyExists => {}
        made => return made,
    }
    match fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::NotADirectory, format!("`{}` is no folder", folder.display()))),
    }
}

#[cfg(test)]
mod tests;
