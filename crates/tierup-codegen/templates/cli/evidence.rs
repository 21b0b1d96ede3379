//! Evidence of a shadow: a file of its own, which only its user can read.
//!
//! The first line has the counts. Its length is fixed, so that it is replaced in place and no reader sees a part of it.
//! Each other line is a call whose answers differ and whose values may be kept: the function's number, the arguments
//! and both answers, in the byte encoding.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::SystemTime;

use tierup_json::{Keys, to_string};

use crate::candidate::{Sample, Unanswered};

/// The length of the first line.
const FIRST: usize = 2048;

/// The most calls in a file, and the most bytes.
const MOST_CALLS: usize = 100;
const MOST_BYTES: u64 = 1 << 20;

/// The most files in a folder. The oldest is removed first.
const MOST_FILES: usize = 500;

#[derive(Default)]
pub struct Counts {
    pub compared: u64,
    pub alike: u64,
    pub different: u64,
    /// Among the different ones: calls in which this program panicked, took too long, or died.
    pub panics: u64,
    pub timeouts: u64,
    pub deaths: u64,
    /// Calls that were not compared, mostly because the queue was full.
    pub dropped: u64,
    /// Calls that still wait to be compared.
    pub waiting: u64,
}

impl Counts {
    /// Counts a waiting call as dropped.
    pub fn drop_one(&mut self) {
        self.waiting -= 1;
        self.dropped += 1;
    }
}

pub struct Evidence {
    file: Option<File>,
    /// Where the next line begins.
    end: u64,
    kept: usize,
    pub counts: Counts,
    /// What the host has counted, as JSON.
    host: String,
    has_trouble: bool,
}

impl Evidence {
    /// Creates a file, and its folder if that is missing. If this fails, standard error says why.
    pub fn new(folder: &Path) -> Evidence {
        let mut evidence = Evidence {
            file: None,
            end: FIRST as u64,
            kept: 0,
            counts: Counts::default(),
            host: "{}".to_owned(),
            has_trouble: false,
        };
        match open(folder) {
            Ok(file) => {
                evidence.file = Some(file);
                evidence.write_counts();
            }
            Err(error) => evidence.trouble(&folder.display().to_string(), &error),
        }
        evidence
    }

    /// Whether there is a file.
    pub fn is_kept(&self) -> bool {
        self.file.is_some()
    }

    /// Reports the first problem on standard error.
    pub fn trouble(&mut self, what: &str, error: &io::Error) {
        if !std::mem::replace(&mut self.has_trouble, true) {
            let name = env!("CARGO_BIN_NAME");
            // Nobody may read it any more.
            let _ = writeln!(io::stderr(), "{name}: the evidence of a shadow is incomplete: {what}: {error}");
        }
    }

    pub fn host_counted(&mut self, json: &[u8]) {
        if let Ok(json) = std::str::from_utf8(json) {
            json.clone_into(&mut self.host);
        }
        self.write_counts();
    }

    /// Writes the first line.
    pub fn write_counts(&mut self) {
        let Counts { compared, alike, different, panics, timeouts, deaths, dropped, .. } = self.counts;
        let line = format!(
            "{{\"abi\":\"{:016x}\",\"compared\":{compared},\"alike\":{alike},\"different\":{different},\
             \"panics\":{panics},\"timeouts\":{timeouts},\"deaths\":{deaths},\"dropped\":{dropped},\"host\":{}}}",
            tierup_calls::ABI,
            self.host
        );
        if line.len() < FIRST {
            self.write(&format!("{line:<width$}\n", width = FIRST - 1), 0);
        }
    }

    /// Writes the counts for the last time: calls that still wait are dropped.
    pub fn end(&mut self) {
        self.counts.dropped += std::mem::take(&mut self.counts.waiting);
        self.write_counts();
    }

    /// Adds a call, unless the file is full.
    pub fn keep(&mut self, sample: &Sample, answer: &Result<Vec<u8>, Unanswered>) {
        let encoded = |bytes: &[u8]| to_string(bytes, Keys::SnakeCase);
        let candidate = match answer {
            Ok(answer) => format!("\"candidate\":{}", encoded(answer)),
            Err(why) => format!("\"unanswered\":{}", to_string(&why.to_string(), Keys::SnakeCase)),
        };
        let line = format!(
            "{{\"function\":{},\"arguments\":{},\"control\":{},{candidate}}}\n",
            sample.function,
            encoded(&sample.arguments),
            encoded(&sample.control)
        );
        let end = self.end + line.len() as u64;
        if self.kept < MOST_CALLS && end <= MOST_BYTES && self.write(&line, self.end) {
            self.kept += 1;
            self.end = end;
        }
    }

    /// Returns whether the whole line was written. The next line overwrites a partial one.
    fn write(&mut self, line: &str, at: u64) -> bool {
        let Some(file) = &self.file else { return false };
        let written = file.write_all_at(line.as_bytes(), at);
        if let Err(error) = &written {
            self.trouble("it cannot be written", error);
        }
        written.is_ok()
    }
}

fn open(folder: &Path) -> io::Result<File> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    make_room(folder)?;
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
    let path = folder.join(format!("{}-{now:x}.jsonl", std::process::id()));
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

fn make_room(folder: &Path) -> io::Result<()> {
    let is_evidence = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    let paths = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).filter(|path| is_evidence(path));
    let mut files: Vec<_> = paths.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path))).collect();
    files.sort();
    for (_, path) in files.iter().rev().skip(MOST_FILES - 1) {
        // Another process may have removed it.
        let _ = fs::remove_file(path);
    }
    Ok(())
}
