//! Reads a state folder: the evidence of all proxies, and the judge's journal. In: the folder. Out: a [`Summary`] and
//! [`Decision`]s. It changes nothing, and does not disturb programs that are writing.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::fs::OFlags;
use tierup_rollout::{
    evidence::{Entry, Event, Line},
    files::{ENDING, Position, run_and_number},
};

use crate::{report::Decision, summary::Summary};

/// The most bytes that are read at once: more than a line has.
const AT_A_TIME: u64 = 4 << 20;

/// The contents of a state folder.
#[derive(Debug, Default)]
pub struct State {
    pub summary: Summary,
    pub decisions: Vec<Decision>,
    pub files: usize,
    /// The number of unreadable lines, and of missing ones that a proxy could not write.
    pub broken: u64,
    pub lost: u64,
}

impl State {
    /// # Errors
    /// If the folder or a file in it cannot be read.
    pub fn read(folder: &Path) -> io::Result<State> {
        let mut state = State::default();
        let mut last_run = String::new();
        for name in evidence_files(folder)? {
            let Some(file) = open(&folder.join("evidence").join(&name))? else { continue };
            state.files += 1;
            let (run, _) = run_and_number(&name);
            // Each file of a run has the event that the proxy began.
            let mut has_begun = run == last_run;
            if !has_begun {
                run.clone_into(&mut last_run);
                state.summary.next_proxy();
            }
            let mut position = Position::default();
            for_each_line(file, &mut position, |line| {
                let begins = matches!(line.entry, Entry::Event(Event::Began { .. }));
                if !(begins && has_begun) {
                    state.summary.take(line);
                }
                has_begun |= begins;
            })?;
            state.broken += position.broken;
            state.lost += position.missing();
        }
        if let Some(mut file) = open(&folder.join("decisions.jsonl"))? {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let text = String::from_utf8_lossy(&bytes);
            state.decisions.extend(text.lines().filter_map(|line| serde_json::from_str::<Decision>(line).ok()));
        }
        Ok(state)
    }
}

/// The names of evidence files, in the order of writing: a run's name begins with its time.
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

/// `None` if nothing is there, or no regular file: a link is refused, and opening a pipe would block.
fn open(path: &Path) -> io::Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the whole file, a piece at a time.
fn for_each_line(mut file: File, position: &mut Position, mut take: impl FnMut(&Line)) -> io::Result<()> {
    loop {
        let before = position.offset;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(before))?;
        file.by_ref().take(AT_A_TIME).read_to_end(&mut bytes)?;
        position.take(&bytes).iter().for_each(&mut take);
        // The rest is empty, or a line that is still being written.
        if position.offset == before {
            return Ok(());
        }
    }
}
