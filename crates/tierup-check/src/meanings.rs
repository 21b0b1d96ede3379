//! Runs the project's normalizer: it reads bodies, and its output is compared instead of them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use tierup_codegen::Command;
use tierup_parity::Comparator;
use tierup_project::{CheckSettings, Normalizer};
use tierup_runner::{Error, Frames, Interrupts, feed};

/// Maximum number of bodies for a normalizer that starts a process per body.
pub(crate) const MOST_PROCESSES: usize = 128;
/// Approximate maximum size of the remembered bodies and outputs.
const MOST_REMEMBERED: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(30);
/// After this many timeouts in a row, the normalizer is not used again: a thousand timeouts would take hours.
const MOST_SILENCES: u32 = 3;

/// The normalizer's output for a body, or the reason why there is none.
type Meaning = Result<Vec<u8>, String>;

/// Asks the normalizer and remembers its output, as the same bodies come again: all Rust tiers give the same ones.
pub(crate) struct Meanings {
    normalizer: Option<Program>,
    /// The normalizer's processes, started when first needed.
    stay: [Option<Frames>; 2],
    known: HashMap<Bytes, Meaning>,
    /// The size of all remembered bodies and outputs.
    remembered: usize,
    /// Number of bodies passed to the normalizer.
    asked: usize,
    /// Number of timeouts in a row.
    silences: u32,
}

impl Meanings {
    pub(crate) fn new(check: &CheckSettings, folder: PathBuf) -> Meanings {
        let normalizer = match &check.policy.bodies {
            Comparator::Normalized(words) => words.split_first().map(|(program, rest)| Program {
                command: Command { folder: folder.clone(), ..Command::new(program, rest.iter().map(String::as_str)) },
                how: check.normalizer,
                folder,
                patience: PATIENCE,
                interrupts: OnceLock::new(),
            }),
            _ => None,
        };
        Meanings { normalizer, stay: [None, None], known: HashMap::new(), remembered: 0, asked: 0, silences: 0 }
    }

    /// The normalizer's output for two bodies. `None` without a normalizer, or if it starts a process per body and has
    /// processed `MOST_PROCESSES` bodies.
    pub(crate) fn of(&mut self, one: &Bytes, other: &Bytes) -> Option<(Meaning, Meaning)> {
        let is_new = |body| !self.known.contains_key(body);
        if self.normalizer.as_ref()?.how == Normalizer::Frames
            && one != other
            && is_new(one)
            && is_new(other)
            && let Some(both) = self.of_both(one, other)
        {
            return Some(both);
        }
        Some((self.of_one(one)?, self.of_one(other)?))
    }

    fn of_one(&mut self, body: &Bytes) -> Option<Meaning> {
        if let Some(known) = self.known.get(body) {
            return Some(known.clone());
        }
        let normalizer = self.normalizer.as_ref()?;
        if normalizer.how == Normalizer::EachBody && self.asked >= MOST_PROCESSES {
            return None;
        }
        if self.silences >= MOST_SILENCES {
            let patience = normalizer.patience.as_secs();
            return Some(Err(format!(
                "the normalizer is no longer used, because it took {patience} s or more {MOST_SILENCES} times"
            )));
        }
        let answer = normalizer.ask(&mut self.stay[0], body);
        Some(self.learn(body, answer))
    }

    /// Asks two processes in parallel, as a normalizer is often slower than the servers.
    fn of_both(&mut self, one: &Bytes, other: &Bytes) -> Option<(Meaning, Meaning)> {
        let normalizer = self.normalizer.as_ref().filter(|_| self.silences < MOST_SILENCES)?;
        let [first, second] = &mut self.stay;
        let (of_one, of_other) = thread::scope(|scope| {
            let beside = scope.spawn(|| normalizer.ask(second, other));
            let of_one = normalizer.ask(first, one);
            (of_one, beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        Some((self.learn(one, of_one), self.learn(other, of_other)))
    }

    fn learn(&mut self, body: &Bytes, answer: Answer) -> Meaning {
        let meaning = match answer {
            Answer::Said(meaning) => {
                self.silences = 0;
                meaning
            }
            Answer::Silent(why) => {
                self.silences += 1;
                Err(why)
            }
            // The comparing thread also sees the interrupt, and stops.
            Answer::Interrupted => return Err("interrupted".to_owned()),
        };
        self.asked += 1;
        if self.remembered > MOST_REMEMBERED {
            // A proxy compares forever. After clearing, frequent bodies are soon remembered again.
            self.known.clear();
            self.remembered = 0;
        }
        self.remembered += body.len() + meaning.as_ref().map_or_else(String::len, Vec::len);
        self.known.insert(body.clone(), meaning.clone());
        meaning
    }
}

/// The normalizer's answer to one body.
enum Answer {
    Said(Meaning),
    /// The normalizer timed out.
    Silent(String),
    Interrupted,
}

/// The normalizer's command, and how to talk to it.
struct Program {
    command: Command,
    how: Normalizer,
    /// Its working directory.
    folder: PathBuf,
    patience: Duration,
    /// Watches from the first question on. Until then, others handle Ctrl-C.
    interrupts: OnceLock<Interrupts>,
}

impl Program {
    fn ask(&self, stays: &mut Option<Frames>, body: &[u8]) -> Answer {
        let interrupts = self.interrupts.get_or_init(Interrupts::watch);
        if interrupts.arrived() {
            return Answer::Interrupted;
        }
        let began = Instant::now();
        let answer = match self.how {
            Normalizer::EachBody => feed(&self.command, &self.folder, body, self.patience, interrupts).map(Ok),
            Normalizer::Frames => self.ask_frames(stays, body, interrupts),
        };
        match answer {
            Ok(meaning) => Answer::Said(meaning),
            Err(Error::Interrupted) => Answer::Interrupted,
            Err(error) if began.elapsed() >= self.patience => Answer::Silent(words(error)),
            Err(error) => Answer::Said(Err(words(error))),
        }
    }

    /// Asks a long-running process, which is started if necessary. After a failure, the next body starts a new one.
    fn ask_frames(&self, stays: &mut Option<Frames>, body: &[u8], interrupts: &Interrupts) -> Result<Meaning, Error> {
        let mut frames = match stays.take() {
            Some(frames) => frames,
            None => Frames::start(&self.command, &self.folder)?,
        };
        let meaning = frames.ask(body, self.patience, interrupts)?;
        *stays = Some(frames);
        Ok(meaning)
    }
}

fn words(error: Error) -> String {
    match error {
        Error::Failed { output, .. } if !output.is_empty() => output.join("; "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(how: Normalizer, script: &str, patience: Duration) -> Meanings {
        let command = Command::new("sh", ["-c", script]);
        let normalizer = Program { command, how, folder: ".".into(), patience, interrupts: OnceLock::new() };
        Meanings {
            normalizer: Some(normalizer),
            stay: [None, None],
            known: HashMap::new(),
            remembered: 0,
            asked: 0,
            silences: 0,
        }
    }

    /// A body too large for a pipe's buffer.
    fn large(byte: u8) -> Bytes {
        vec![byte; 1 << 20].into()
    }

    #[test]
    fn a_normalizer_that_reads_nothing_is_given_up() {
        for how in [Normalizer::Frames, Normalizer::EachBody] {
            let mut meanings = meanings(how, "sleep 1000", Duration::from_millis(100));
            for byte in 0..4 {
                let (one, other) = meanings.of(&large(2 * byte), &large(2 * byte + 1)).expect("there is one");
                assert!(one.is_err() && other.is_err());
            }
            let (last, _) = meanings.of(&large(100), &large(101)).expect("there is one");
            assert!(last.expect_err("nothing was said").contains("no longer used"), "{how:?}");
        }
    }

    #[test]
    fn a_body_larger_than_a_pipe_is_answered() {
        let mut meanings = meanings(Normalizer::EachBody, "wc -c", Duration::from_secs(20));
        let (one, other) = meanings.of(&large(0), &Bytes::new()).expect("there is one");
        assert_eq!(one.map(|said| said.trim_ascii().to_vec()), Ok(b"1048576".to_vec()));
        assert_eq!(other.map(|said| said.trim_ascii().to_vec()), Ok(b"0".to_vec()));
        // The script answers `ok` to each frame, and reads on.
        let frames = "while length=$(head -c 4 | od -An -tu4 | tr -d ' ') && [ -n \"$length\" ]; do \
                      head -c \"$length\" > /dev/null; printf '\\0\\2\\0\\0\\0ok'; done";
        let mut meanings = self::meanings(Normalizer::Frames, frames, Duration::from_secs(20));
        for byte in 0..3 {
            let (one, other) = meanings.of(&large(2 * byte), &large(2 * byte + 1)).expect("there is one");
            assert_eq!((one, other), (Ok(b"ok".to_vec()), Ok(b"ok".to_vec())));
        }
    }
}
