//! What bodies mean, by the project's normalizer.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use bytes::Bytes;
use tierup_codegen::Command;
use tierup_parity::Comparator;
use tierup_runner::{Error, Frames, feed};

use crate::project::{CheckSettings, Normalizer};

/// How many bodies a normalizer is asked about that is a process for each.
pub(crate) const MOST_PROCESSES: usize = 128;
const PATIENCE: Duration = Duration::from_secs(30);

/// What a body means, or why nobody knows.
type Meaning = Result<Vec<u8>, String>;

/// Asks a normalizer, and remembers what it said: bodies come again, for every Rust tier has the same.
pub(crate) struct Meanings {
    command: Option<Command>,
    how: Normalizer,
    /// Where it runs.
    folder: PathBuf,
    /// Those that stay, once they were needed.
    stay: [Option<Frames>; 2],
    known: HashMap<Bytes, Meaning>,
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
        Meanings { command, how: check.normalizer, folder, stay: [None, None], known: HashMap::new() }
    }

    /// What the normalizer makes of two bodies; `None` where there is none, or where it would be one process too many.
    pub(crate) fn of(&mut self, one: &Bytes, other: &Bytes) -> Option<(Meaning, Meaning)> {
        let is_new = |body| !self.known.contains_key(body);
        if self.how == Normalizer::Frames && one != other && is_new(one) && is_new(other) {
            self.learn_both(one, other);
        }
        Some((self.of_one(one)?, self.of_one(other)?))
    }

    fn of_one(&mut self, body: &Bytes) -> Option<Meaning> {
        if let Some(known) = self.known.get(body) {
            return Some(known.clone());
        }
        let command = self.command.as_ref()?;
        let meaning = match self.how {
            Normalizer::EachBody if self.known.len() >= MOST_PROCESSES => return None,
            Normalizer::EachBody => feed(command, &self.folder, body, PATIENCE).map_err(words),
            Normalizer::Frames => by_frames(&mut self.stay[0], command, &self.folder, body),
        };
        self.known.insert(body.clone(), meaning.clone());
        Some(meaning)
    }

    /// Asks two processes side by side: what a normalizer does is often slower than what it is asked about.
    fn learn_both(&mut self, one: &Bytes, other: &Bytes) {
        let Some(command) = &self.command else { return };
        let ([first, second], folder) = (&mut self.stay, &self.folder);
        let (of_one, of_other) = thread::scope(|scope| {
            let beside = scope.spawn(|| by_frames(second, command, folder, other));
            let of_one = by_frames(first, command, folder, one);
            (of_one, beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        self.known.extend([(one.clone(), of_one), (other.clone(), of_other)]);
    }
}

/// Asks one that stays, which is started where it is not there yet. One that failed is started anew for the next body.
fn by_frames(stays: &mut Option<Frames>, command: &Command, folder: &Path, body: &[u8]) -> Meaning {
    let mut frames = match stays.take() {
        Some(frames) => frames,
        None => Frames::start(command, folder).map_err(words)?,
    };
    let meaning = frames.ask(body, PATIENCE).map_err(words)?;
    *stays = Some(frames);
    meaning
}

fn words(error: Error) -> String {
    match error {
        Error::Failed { output, .. } if !output.is_empty() => output.join("; "),
        other => other.to_string(),
    }
}
