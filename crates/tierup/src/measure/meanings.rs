//! What bodies mean, by the project's normalizer.

use std::{collections::HashMap, path::PathBuf, time::Duration};

use bytes::Bytes;
use tierup_codegen::Command;
use tierup_parity::Comparator;
use tierup_runner::{Error, Frames, feed};

use crate::project::{CheckSettings, Normalizer};

/// How many bodies a normalizer is asked about that is a process for each.
pub(crate) const MOST_PROCESSES: usize = 128;
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks a normalizer, and remembers what it said: bodies come again, for every Rust tier has the same.
pub(crate) struct Meanings {
    command: Option<Command>,
    how: Normalizer,
    /// Where it runs.
    folder: PathBuf,
    /// One that stays, once it was needed.
    stays: Option<Frames>,
    /// What a body means, or why nobody knows.
    known: HashMap<Bytes, Result<Vec<u8>, String>>,
}

impl Meanings {
    pub(crate) fn new(check: &CheckSettings, folder: PathBuf) -> Meanings {
        let command = match &check.policy.bodies {
            Comparator::Normalized(words) => words.split_first().map(|(program, rest)| Command {
                folder: folder.clone(),
                ..Command::new(program, rest.iter().map(String::as_str))
            }),
            _ => None,
        };
        Meanings { command, how: check.normalizer, folder, stays: None, known: HashMap::new() }
    }

    /// What the normalizer makes of a body; `None` where there is none, or where it would be one process too many.
    pub(crate) fn of(&mut self, body: &Bytes) -> Option<Result<Vec<u8>, String>> {
        if let Some(known) = self.known.get(body) {
            return Some(known.clone());
        }
        let command = self.command.clone()?;
        let meaning = match self.how {
            Normalizer::EachBody if self.known.len() >= MOST_PROCESSES => return None,
            Normalizer::EachBody => feed(&command, &self.folder, body, PATIENCE).map_err(words),
            Normalizer::Frames => self.by_frames(&command, body),
        };
        self.known.insert(body.clone(), meaning.clone());
        Some(meaning)
    }

    fn by_frames(&mut self, command: &Command, body: &Bytes) -> Result<Vec<u8>, String> {
        let mut stays = match self.stays.take() {
            Some(stays) => stays,
            None => Frames::start(command, &self.folder).map_err(words)?,
        };
        let meaning = stays.ask(body, PATIENCE).map_err(words)?;
        // One that failed is started anew for the next body.
        self.stays = Some(stays);
        meaning
    }
}

fn words(error: Error) -> String {
    match error {
        Error::Failed { output, .. } if !output.is_empty() => output.join("; "),
        other => other.to_string(),
    }
}
