//! Reads a state folder: the evidence of all proxies, and the judge's journal. In: the folder. Out: a [`Summary`] and
//! [`Decision`]s. Nothing there is changed, and programs that write meanwhile do not notice.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead as _, BufReader, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::fs::OFlags;
use tierup_rollout::{
    evidence::{Entry, Event, Line},
    files::{ENDING, run_and_number},
};

use crate::{report::Decision, summary::Summary};

/// Longer lines are not read: no proxy writes them.
const LONGEST: u64 = 1 << 20;

/// What a state folder has.
#[derive(Debug, Default)]
pub struct State {
    pub summary: Summary,
    pub decisions: Vec<Decision>,
    pub files: usize,
    /// Lines that could not be read, and numbers that are missing: of lines that a proxy could not write.
    pub broken: u64,
    pub lost: u64,
}

impl State {
    /// # Errors
    /// The folder or a file in it cannot be read.
    pub fn read(folder: &Path) -> io::Result<State> {
        let mut state = State::default();
        let mut last_run = String::new();
        for name in evidence_files(folder)? {
            let Some(file) = open(&folder.join("evidence").join(&name))? else { continue };
            state.files += 1;
            let (run, _) = run_and_number(&name);
            // Each file of a run says that the proxy began.
            let mut has_begun = run == last_run;
            if !has_begun {
                run.clone_into(&mut last_run);
                state.summary.next_proxy();
            }
            let mut number = 0;
            for_each_line(file, |text| match Line::parse(text) {
                Ok(line) => {
                    state.lost += line.number.saturating_sub(number + 1);
                    number = number.max(line.number);
                    let begins = matches!(line.entry, Entry::Event(Event::Began { .. }));
                    if !(begins && has_begun) {
                        state.summary.take(&line);
                    }
                    has_begun |= begins;
                }
                Err(_) => {
                    state.broken += 1;
                    // It has a number, too, which is not known.
                    number += 1;
                }
            })?;
        }
        if let Some(file) = open(&folder.join("decisions.jsonl"))? {
            for_each_line(file, |text| state.decisions.extend(serde_json::from_str::<Decision>(text).ok()))?;
        }
        Ok(state)
    }
}

/// Their names, in the order in which they were written: a run begins with its time.
fn evidence_files(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder.join("evidence")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    let names = names.collect::<io::Result<Vec<_>>>()?.into_iter().flatten();
    let mut names: Vec<_> = names.filter(|name| name.ends_with(ENDING)).collect();
    names.sort_by(|one, other| run_and_number(one).cmp(&run_and_number(other)));
    Ok(names)
}

/// `None` for what is not there, and for what is no file of its own: a link, or a pipe at which opening would wait.
fn open(path: &Path) -> io::Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Each whole line, without its end. One that is still being written is left out.
fn for_each_line(file: File, mut take: impl FnMut(&str)) -> io::Result<()> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.last() == Some(&b'\n') {
            take(String::from_utf8_lossy(&line).trim_end_matches('\n'));
        } else if line.len() as u64 == LONGEST {
            // The rest of it is no line either.
            reader.skip_until(b'\n')?;
            take("");
        } else {
            return Ok(());
        }
    }
}
