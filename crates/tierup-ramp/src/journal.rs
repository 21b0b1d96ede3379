//! `decisions.jsonl`: every decision as one line of JSON, for people and reports.
//!
//! The database also has the decisions, and is written first. So a line that could not be written is written later, and
//! a judge that was killed in between catches up.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use crate::{Decided, Error, Result};

/// The journal's file.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// The number of the last decision in the file.
    last: u64,
}

impl Journal {
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn open(path: PathBuf) -> Result<Journal> {
        let last = decisions(&path)?.last().map_or(0, |decided| decided.number);
        Ok(Journal { path, last })
    }

    /// The number of the last decision in the file, or 0.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Appends decisions that are not in the file yet.
    ///
    /// # Errors
    /// If not all of them could be written; pass the missing ones again.
    pub fn append(&mut self, decisions: &[Decided]) -> Result<()> {
        for decided in decisions {
            if decided.number <= self.last {
                continue;
            }
            self.line(decided).map_err(Error::file("write", &self.path))?;
            self.last = decided.number;
        }
        Ok(())
    }

    fn line(&self, decided: &Decided) -> io::Result<()> {
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let options = OpenOptions::new().create(true).read(true).append(true).mode(0o600).custom_flags(flags).clone();
        let mut file = options.open(&self.path)?;
        let mut line = serde_json::to_string(decided)? + "\n";
        // An incomplete line must not spoil the new one.
        if file.seek(SeekFrom::End(0))? > 0 {
            let mut end = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut end)?;
            if end != *b"\n" {
                line.insert(0, '\n');
            }
        }
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}

/// The decisions in a journal, in order. Lines that are no decisions are left out.
///
/// # Errors
/// If the file exists and cannot be read.
pub fn decisions(path: &Path) -> Result<Vec<Decided>> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes.map_err(Error::file("read", path))?,
    };
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(number: u64) -> Decided {
        Decided {
            number,
            ramp: "3f2a9c01".into(),
            at: 1_795_406_400,
            generation: number,
            decision: crate::Action::Advance,
            weight: "5%".parse().expect("a part"),
            reasons: vec!["two\nlines".into()],
        }
    }

    #[test]
    fn each_decision_is_written_once_in_spite_of_an_incomplete_line() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("decisions.jsonl");
        let mut journal = Journal::open(path.clone()).expect("it can be read");
        journal.append(&[decided(1), decided(2)]).expect("there is room");
        journal.append(&[decided(2), decided(3)]).expect("there is room");
        let whole = fs::read(&path).expect("it is there");
        assert_eq!(whole.iter().filter(|byte| **byte == b'\n').count(), 3);
        // The third line is incomplete, as on a full disk.
        fs::write(&path, &whole[..whole.len() - 5]).expect("there is room");
        let mut journal = Journal::open(path.clone()).expect("it can be read");
        assert_eq!(journal.last(), 2);
        journal.append(&[decided(3)]).expect("there is room");
        let numbers: Vec<_> = decisions(&path).expect("it can be read").iter().map(|decided| decided.number).collect();
        assert_eq!(numbers, [1, 2, 3]);
    }
}
