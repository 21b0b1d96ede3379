//! Hides parts of requests and answers in the evidence, which gets keyed hashes instead.
//!
//! In: what the user hides and shows, and the targets that clients sent. Out: which parts of a target are shown
//! (`target`), and which parts of a body are secret: fields that the user hides, and the values of credentials.

mod several;
mod target;

use std::{collections::BTreeMap, sync::LazyLock};

use glob::{MatchOptions, Pattern};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use tierup_parity::{
    Location, Path, Step,
    json::{Json, Kind, read},
};
use tierup_requests::{MOST_NAMED, is_credential, named_values};

use crate::identifier::is_data;

pub(crate) use self::{
    several::{SEVERAL, Several},
    target::{Shown, lets_in, may_be_secret, starts},
};

/// Values that are no secrets, whatever the name of their field.
const JSON_WORDS: [&str; 3] = ["true", "false", "null"];

/// What is hidden.
#[derive(Debug, Clone)]
pub struct Hidden {
    fields: Vec<Path>,
    /// The last names of the fields. Query parameters and form fields with such a name are hidden, too.
    names: Vec<String>,
    show: Show,
    /// Parts of paths, and parameters.
    several: Several,
}

/// The parts of some bodies that must not be shown.
#[derive(Debug, Default)]
pub(crate) struct InBodies {
    /// Secret values with their replacements: values of hidden fields and of fields named like credentials, and names
    /// of fields that look like identifiers. Beyond `MOST_NAMED` bytes, values are missing (`are_too_many`).
    pub(crate) values: BTreeMap<String, String>,
    places: Vec<Location>,
    /// The size of all secret values, including those that `values` lacks.
    bytes: usize,
}

impl InBodies {
    /// Whether there are more values than can be searched for.
    pub(crate) fn are_too_many(&self) -> bool {
        self.bytes >= MOST_NAMED
    }
}

impl Hidden {
    pub fn new(fields: Vec<Path>, show: Show) -> Hidden {
        let name = |field: &Path| {
            let path = field.to_string();
            let last = path.rsplit(['.', '[']).next().unwrap_or_default();
            last.trim_matches(|character: char| matches!(character, ']' | '\'' | '"')).to_ascii_lowercase()
        };
        let names = fields.iter().map(name).filter(|name| !matches!(name.as_str(), "" | "*" | "$")).collect();
        Hidden { fields, names, show, several: Several::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The secrets in bodies: in JSON, in forms, and next to names of credentials in other texts.
    pub(crate) fn of<'a>(&self, bodies: impl IntoIterator<Item = &'a [u8]>) -> InBodies {
        let mut found = InBodies::default();
        for body in bodies {
            match read(body) {
                Ok(json) => {
                    self.walk(&json, &mut Location::default(), false, &mut found);
                    // A name may itself be a value: `{"name": "password", "value": "…"}`.
                    let mut values = named_values(body, &is_credential);
                    values.retain(|value| !JSON_WORDS.contains(&value.as_str()));
                    self.add_all(&values, &mut found);
                }
                Err(_) => self.search(body, &mut found),
            }
        }
        found
    }

    fn search(&self, text: &[u8], found: &mut InBodies) {
        let is_secret = |name: &str| is_credential(name) || self.hides_parameter(name);
        self.add_all(&named_values(text, &is_secret), found);
    }

    fn add_all(&self, values: &[String], found: &mut InBodies) {
        values.iter().for_each(|value| self.add(value, found));
        // The search may have ended before the end of the text, even if all values that it found were already known.
        found.bytes = found.bytes.max(values.iter().map(String::len).sum());
    }

    /// Whether showing a difference at this place would show a hidden field: itself, one within it, or one around it.
    pub(crate) fn hides(&self, place: &Location, found: &InBodies) -> bool {
        let within = |outer: &Location, inner: &Location| inner.0.starts_with(&outer.0);
        self.covers(&place.0) || found.places.iter().any(|hidden| within(place, hidden))
    }

    /// Whether the value at a place is hidden, or is within a hidden one.
    pub(crate) fn covers(&self, place: &[Step]) -> bool {
        (0..=place.len()).any(|depth| self.has(&Location(place[..depth].to_vec())))
    }

    fn has(&self, place: &Location) -> bool {
        self.fields.iter().any(|field| field.matches(place))
    }

    fn walk(&self, json: &Json<'_>, place: &mut Location, is_secret: bool, found: &mut InBodies) {
        let is_hidden = self.has(place);
        if is_hidden {
            found.places.push(place.clone());
        }
        let is_secret = is_secret || is_hidden;
        match &json.kind {
            Kind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.0.push(Step::Index(index));
                    self.walk(item, place, is_secret, found);
                    place.0.pop();
                }
            }
            Kind::Object(members) => {
                for member in members {
                    let key = member.key.to_string();
                    if is_secret || (is_data(&key) && !is_number(&key)) {
                        self.add(&key, found);
                    }
                    let is_secret = is_secret || is_credential(&key);
                    place.0.push(Step::Key(member.key.clone().into_owned()));
                    self.walk(&member.value, place, is_secret, found);
                    place.0.pop();
                }
            }
            Kind::Text(text) if is_secret => self.add(&String::from_utf8_lossy(text.as_bytes()), found),
            Kind::Number(digits) if is_secret => self.add(digits, found),
            // The text may be an address with a token, or a form.
            Kind::Text(text) => self.search(text.as_bytes(), found),
            _ => {}
        }
    }

    fn add(&self, value: &str, found: &mut InBodies) {
        if found.are_too_many() || found.values.contains_key(value) {
            return;
        }
        found.bytes += value.len();
        // Searching for the values takes many times their memory.
        if !found.are_too_many() {
            found.values.insert(value.to_owned(), hash(value));
        }
    }
}

/// Numbers are everywhere, so a key that is a number cannot be hidden wherever it occurs.
fn is_number(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b','))
}

// New in each run and never written. Without the key, nobody can find a value by trying (RFC 2104).
static KEY: LazyLock<Hmac<Sha256>> = LazyLock::new(|| {
    let key: [u8; 32] = rand::random();
    Hmac::new_from_slice(&key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
});

/// The beginning of each hash.
pub(crate) const HASH: &str = "hmac:";

/// For example `hmac:1f2e3d4c5b6a7988`: a reader sees whether two values are equal, but not the values.
pub(crate) fn hash(value: &str) -> String {
    let digest = KEY.clone().chain_update(value).finalize().into_bytes();
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{HASH}{digits}")
}

/// The words that are shown. `*` stands for all words, except those that look like secrets.
#[derive(Debug, Clone, Default)]
pub struct Show {
    words: Vec<String>,
    /// Patterns from denied paths. They show only parts of paths, since `/reset/*` says nothing about `?reset=`.
    parts: Vec<Pattern>,
}

/// The options of patterns, which are those for denied paths.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: false, require_literal_separator: true, require_literal_leading_dot: false };

impl Show {
    pub fn new(words: Vec<String>) -> Show {
        Show { words, parts: Vec::new() }
    }

    /// Shows all words.
    pub fn all() -> Show {
        Show::new(vec!["*".to_owned()])
    }

    /// Also shows the parts of these patterns, as the user wrote them.
    #[must_use]
    pub fn and_parts_of<'p>(mut self, denied: impl IntoIterator<Item = &'p String>) -> Show {
        let parts = denied.into_iter().flat_map(|path| path.split('/'));
        let parts = parts.filter(|part| !part.trim_matches('*').is_empty());
        self.parts.extend(parts.filter_map(|part| Pattern::new(part).ok()));
        self
    }

    pub(crate) fn is_all(&self) -> bool {
        self.words.iter().any(|word| word == "*")
    }

    /// Whether this word is shown.
    pub(crate) fn names(&self, word: &str) -> bool {
        self.words.iter().any(|named| named.eq_ignore_ascii_case(word))
    }

    /// Whether this part of a path is shown. If it may be a secret, patterns with a `*` do not count.
    pub(crate) fn names_part(&self, part: &str, is_secret: bool) -> bool {
        let names =
            |pattern: &Pattern| pattern.matches_with(part, OPTIONS) && !(is_secret && pattern.as_str().contains('*'));
        self.names(part) || self.parts.iter().any(names)
    }
}
