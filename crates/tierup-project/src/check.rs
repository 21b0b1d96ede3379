//! `[check]`: which answers count as alike (`docs/comparing.md`).

use std::borrow::Cow;

use tierup_diagnostic::Diagnostic;
use tierup_parity::{
    CallOrder, Comparator, DuplicateKeys, ErrorBodies, HeaderRules, JsonRules, LineEnds, Numbers, Parameters, Path,
    Policy, TextRules, Tolerance, TrailingSpace,
};
use toml::de::DeValue;

use crate::document::{Document, Table, Text, finished};

/// The comparators by name. A `normalizer` is the fifth comparator.
const COMPARE: [(&str, Word); 4] =
    [("exact", Word::Exact), ("status", Word::Status), ("text", Word::Text), ("json", Word::Json)];
/// Keys that are valid only with one comparator.
const OF_JSON: [&str; 6] = ["ignore", "unordered", "numbers", "tolerance", "tolerances", "duplicate_keys"];
const OF_TEXT: [&str; 2] = ["line_ends", "trailing_space"];

/// `[check]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckSettings {
    pub policy: Policy,
    pub normalizer: Normalizer,
    /// The longest body that the servers accept, in bytes. A body that is one byte longer is sent as well.
    pub max_body: Option<usize>,
    /// Hostile requests whose names begin with one of these are not sent.
    pub skip: Vec<String>,
    /// Rules for some requests only. The first one that matches a request applies.
    pub also: Vec<Also>,
}

/// How a normalizer command receives bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Normalizer {
    /// Each body gets a new process.
    #[default]
    EachBody,
    /// One process keeps running and reads frames (`docs/comparing.md`).
    Frames,
}

/// `[[check.also]]`: paths to ignore in answers to requests whose target contains this text.
#[derive(Debug, Clone, PartialEq)]
pub struct Also {
    pub target: String,
    pub ignore: Vec<Path>,
}

impl CheckSettings {
    /// The policy for a request's answers.
    pub fn policy_for(&self, target: &str) -> Cow<'_, Policy> {
        let found = self.also.iter().find(|also| target.contains(&also.target));
        let (Some(also), Comparator::Json(rules)) = (found, &self.policy.bodies) else {
            return Cow::Borrowed(&self.policy);
        };
        let ignore = rules.ignore.iter().chain(&also.ignore).cloned().collect();
        let bodies = Comparator::Json(JsonRules { ignore, ..rules.clone() });
        Cow::Owned(Policy { bodies, ..self.policy.clone() })
    }
}

pub(crate) fn read(table: &Table<'_>, document: &Document) -> CheckSettings {
    let reader = Reader { table, document };
    let compare = reader.choice("compare", COMPARE);
    let normalizer = table.texts("normalizer");
    let json = reader.json_rules();
    let text = TextRules {
        line_ends: reader
            .choice("line_ends", [("any", LineEnds::Any), ("compared", LineEnds::Compared)])
            .unwrap_or_default(),
        trailing_space: reader
            .choice("trailing_space", [("ignored", TrailingSpace::Ignored), ("compared", TrailingSpace::Compared)])
            .unwrap_or_default(),
    };
    if compare.is_some() && normalizer.is_some() {
        reader.problem("normalizer", "`compare` and `normalizer` cannot be combined", "keep one of them");
    }
    if normalizer.as_ref().is_some_and(Vec::is_empty) {
        reader.problem("normalizer", "`normalizer` is empty", "give a command, e.g. [\"node\", \"normalize.js\"]");
    }
    let word = compare.unwrap_or(Word::Exact);
    for (keys, needed, its_word) in [(&OF_JSON[..], "json", Word::Json), (&OF_TEXT[..], "text", Word::Text)] {
        for key in keys.iter().filter(|key| word != its_word && table.has(key)) {
            reader.problem(
                key,
                &format!("`{key}` only applies to `compare = \"{needed}\"`"),
                &format!("add `compare = \"{needed}\"`"),
            );
        }
    }
    let bodies = match (normalizer, word) {
        (Some(words), _) => Comparator::Normalized(words.into_iter().map(|text| text.value).collect()),
        (None, Word::Status) => Comparator::Status,
        (None, Word::Text) => Comparator::Text(text),
        (None, Word::Json) => Comparator::Json(json),
        (None, Word::Exact) => Comparator::Exact,
    };
    let errors = reader.choice("errors", [("status", ErrorBodies::Status), ("exact", ErrorBodies::Exact)]);
    let parameters =
        reader.choice("parameters", [("ignored", Parameters::Ignored), ("compared", Parameters::Compared)]);
    let headers = HeaderRules { also: reader.headers("headers"), ignore: reader.headers("ignore_headers") };
    let (errors, parameters) = (errors.unwrap_or_default(), parameters.unwrap_or_default());
    let policy = Policy { bodies, errors, parameters, headers, calls: CallOrder::default() };
    let normalizer = reader.normalizer(&policy);
    let skip = table.texts("skip").unwrap_or_default().into_iter().map(|text| text.value).collect();
    CheckSettings { policy, normalizer, max_body: reader.size("max_body"), skip, also: reader.also(word) }
}

/// A value of `compare`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Exact,
    Status,
    Text,
    Json,
}

struct Reader<'a> {
    table: &'a Table<'a>,
    document: &'a Document,
}

impl Reader<'_> {
    fn json_rules(&self) -> JsonRules {
        let tolerances = self.table.table("tolerances").map(|table| {
            let pairs: Vec<_> = table
                .entries()
                .filter_map(|(key, value)| Some((self.path(&key)?, self.tolerance(&table, &key.value, value)?)))
                .collect();
            pairs
        });
        let tolerance = self.table.value("tolerance").and_then(|value| self.tolerance(self.table, "tolerance", value));
        JsonRules {
            ignore: self.paths("ignore"),
            unordered: self.paths("unordered"),
            numbers: self.choice("numbers", [("exact", Numbers::Exact), ("value", Numbers::Value)]).unwrap_or_default(),
            tolerance,
            tolerances: tolerances.unwrap_or_default(),
            duplicate_keys: self
                .choice("duplicate_keys", [("refuse", DuplicateKeys::Refuse), ("last", DuplicateKeys::Last)])
                .unwrap_or_default(),
        }
    }

    fn normalizer(&self, policy: &Policy) -> Normalizer {
        let Some(value) = self.table.value("normalizer_frames") else { return Normalizer::default() };
        match value.get_ref() {
            DeValue::Boolean(frames) if matches!(policy.bodies, Comparator::Normalized(_)) => {
                if *frames {
                    Normalizer::Frames
                } else {
                    Normalizer::EachBody
                }
            }
            DeValue::Boolean(_) => {
                let hint = "name the command with `normalizer`";
                self.problem("normalizer_frames", "`normalizer_frames` needs a `normalizer`", hint);
                Normalizer::default()
            }
            _ => self.table.wrong("normalizer_frames", value, "true or false").unwrap_or_default(),
        }
    }

    fn size(&self, key: &'static str) -> Option<usize> {
        let value = self.table.value(key)?;
        let size = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok().filter(|size| *size > 0),
            _ => None,
        };
        if size.is_none() {
            self.problem(key, &format!("`{key}` must be a number of bytes above 0"), "e.g. 1048576 for 1 MiB");
        }
        size
    }

    fn also(&self, word: Word) -> Vec<Also> {
        let read = |table: &Table<'_>| {
            let target = table.required_text("target");
            let reader = Reader { table, document: self.document };
            let ignore = reader.paths("ignore");
            if word != Word::Json {
                reader.problem(
                    "target", "`[[check.also]]` only applies to JSON", "add `compare = \"json\"` to `[check]`",
                );
            }
            Some(Also { target: target?.value, ignore })
        };
        self.table.tables("also").iter().filter_map(|table| finished(table, read)).collect()
    }

    /// The value of the key, which must be one of these words.
    fn choice<T: Clone, const N: usize>(&self, key: &'static str, known: [(&str, T); N]) -> Option<T> {
        let text = self.table.text(key)?;
        let found = known.iter().find(|(word, _)| *word == text.value).map(|(_, meaning)| meaning.clone());
        if found.is_none() {
            let words: Vec<_> = known.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            self.problem(
                key,
                &format!("`{key}` must be one of {}", words.join(", ")),
                "docs/comparing.md explains each value",
            );
        }
        found
    }

    /// Names of headers.
    fn headers(&self, key: &'static str) -> Vec<String> {
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
        };
        let names: Vec<String> = self.table.texts(key).unwrap_or_default().into_iter().map(|text| text.value).collect();
        if let Some(wrong) = names.iter().find(|name| !is_name(name)) {
            self.problem(key, &format!("`{wrong}` is not the name of a header"), "write names alone, e.g. [\"ETag\"]");
        }
        names
    }

    fn paths(&self, key: &'static str) -> Vec<Path> {
        self.table.texts(key).unwrap_or_default().iter().filter_map(|text| self.path(text)).collect()
    }

    fn path(&self, text: &Text) -> Option<Path> {
        let add = |error: tierup_parity::PathError| {
            self.document.add(Diagnostic::new(error.to_string()).at(self.document.place(&text.span)));
        };
        text.value.parse().map_err(add).ok()
    }

    /// A number is a share of the larger value; a table has `absolute`, `relative` or both.
    fn tolerance(&self, table: &Table<'_>, key: &str, value: &toml::Spanned<DeValue<'_>>) -> Option<Tolerance> {
        let number = |value: &DeValue<'_>| match value {
            DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            _ => None,
        };
        let fits = |number: f64| (number.is_finite() && number >= 0.0).then_some(number);
        let read = match value.get_ref() {
            DeValue::Table(parts) => {
                let part = |name: &str| parts.get(name).map_or(Some(0.0), |value| fits(number(value.get_ref())?));
                let known = parts.keys().all(|key| matches!(key.get_ref().as_ref(), "absolute" | "relative"));
                part("absolute").zip(part("relative")).filter(|_| known && !parts.is_empty())
            }
            other => number(other).and_then(fits).map(|relative| (0.0, relative)),
        };
        match read {
            Some((absolute, relative)) => Some(Tolerance { absolute, relative }),
            None => table.wrong(key, value, "a share such as 1e-9 or { absolute = 0.01, relative = 1e-9 }"),
        }
    }

    fn problem(&self, key: &str, message: &str, hint: &str) {
        self.document.add(Diagnostic::new(message).at(self.table.place(key)).hint(hint));
    }
}
