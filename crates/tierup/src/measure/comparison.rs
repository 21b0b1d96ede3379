//! Whether two servers answer alike: status and content type always, bodies as `[check]` says.

use std::{collections::HashMap, path::PathBuf, time::Duration};

use bytes::Bytes;
use tierup_bench::{check::Comparator, load::Answer};
use tierup_codegen::Command;
use tierup_requests::Request;
use tierup_runner::feed;

/// What makes two bodies alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Alike {
    /// The same bytes.
    #[default]
    Exact,
    /// What this command makes of them: a body on its standard input, what counts on its standard output.
    Normalized(Vec<String>),
    /// Bodies are not compared.
    Status,
}

/// How many different bodies a normalizer is asked about: it is a process each time.
const NORMALIZED: usize = 64;
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Comparison {
    alike: Alike,
    /// Where the normalizer runs.
    folder: PathBuf,
    /// What a body means, or why nobody knows.
    meanings: HashMap<Bytes, Result<Vec<u8>, String>>,
    /// Requests whose bodies were normalized.
    normalized: usize,
}

impl Comparison {
    pub(crate) fn new(alike: Alike, folder: PathBuf) -> Comparison {
        Comparison { alike, folder, meanings: HashMap::new(), normalized: 0 }
    }

    fn meaning(&mut self, words: &[String], body: &Bytes) -> Result<Vec<u8>, String> {
        if let Some(known) = self.meanings.get(body) {
            return known.clone();
        }
        let [program, rest @ ..] = words else { return Ok(body.to_vec()) };
        let command = Command { folder: self.folder.clone(), ..Command::new(program, rest.iter().map(String::as_str)) };
        let meaning = feed(&command, &self.folder, body, PATIENCE).map_err(|error| match error {
            tierup_runner::Error::Failed { output, .. } if !output.is_empty() => output.join("; "),
            other => other.to_string(),
        });
        self.meanings.insert(body.clone(), meaning.clone());
        meaning
    }

    fn different_meaning(&mut self, words: &[String], reference: &Answer, candidate: &Answer) -> Option<String> {
        if self.meanings.len() >= 2 * NORMALIZED && !self.meanings.contains_key(&candidate.body) {
            return None;
        }
        self.normalized += 1;
        match (self.meaning(words, &reference.body), self.meaning(words, &candidate.body)) {
            (Ok(theirs), Ok(mine)) if theirs == mine => None,
            (Ok(theirs), Ok(mine)) => {
                Some(format!("its body means {} instead of {}", excerpt(&mine), excerpt(&theirs)))
            }
            (Err(why), _) => Some(format!("the normalizer cannot read the reference's body: {why}")),
            (_, Err(why)) => Some(format!("the normalizer cannot read its body: {why}")),
        }
    }
}

impl Comparator for Comparison {
    fn difference(&mut self, _request: &Request, reference: &Answer, candidate: &Answer) -> Option<String> {
        if reference.status != candidate.status {
            return Some(format!("status {} instead of {}", candidate.status, reference.status));
        }
        if essence(reference) != essence(candidate) {
            let shown = |answer: &Answer| answer.content_type.clone().unwrap_or_else(|| "none".to_owned());
            return Some(format!("content type {} instead of {}", shown(candidate), shown(reference)));
        }
        // Refusals are people's words; their status is what programs go by.
        if reference.status >= 400 || reference.body == candidate.body {
            return None;
        }
        match self.alike.clone() {
            Alike::Status => None,
            Alike::Exact => Some(format!("{} instead of {}", excerpt(&candidate.body), excerpt(&reference.body))),
            Alike::Normalized(words) => self.different_meaning(&words, reference, candidate),
        }
    }

    fn how(&self) -> String {
        match &self.alike {
            Alike::Exact => "status, content type and body".to_owned(),
            Alike::Status => "status and content type; not the body".to_owned(),
            Alike::Normalized(words) => {
                let name = words.join(" ");
                format!("status and content type; what `{name}` makes of the body, for the first {NORMALIZED} or so")
            }
        }
    }
}

/// `text/html` of `text/html; charset=utf-8`.
fn essence(answer: &Answer) -> Option<String> {
    let text = answer.content_type.as_ref()?;
    Some(text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The beginning of a body, for a line.
fn excerpt(body: &[u8]) -> String {
    const MOST: usize = 48;
    let printable = |text: &str| text.chars().all(|c| !c.is_control() || c == '\n');
    match std::str::from_utf8(&body[..body.len().min(MOST)]) {
        Ok(text) if printable(text) && body.len() > MOST => format!("`{}…`", text.replace('\n', "⏎")),
        Ok(text) if printable(text) => format!("`{}`", text.replace('\n', "⏎")),
        _ => format!("{} other bytes", body.len()),
    }
}
