//! Fields of bodies whose values the user hides: evidence has keyed hashes of them, so that a reader sees whether two
//! values are the same, and not what they are.
//!
//! The key is new in each run and is never written. Without it nobody can try values until one fits (RFC 2104).

use std::{collections::BTreeMap, iter};

use hmac::{Hmac, Mac as _};
use percent_encoding::percent_decode_str;
use sha2::Sha256;
use tierup_parity::{
    Location, Path, Step,
    json::{Json, Kind, read},
};
use tierup_requests::{MOST_NAMED, is_credential, named_values};

use crate::identifier::is_data;

/// Values of fields that are no secrets, whatever the fields' names are.
const JSON_WORDS: [&str; 3] = ["true", "false", "null"];

/// Names of parameters by which one is let in, beside those of credentials: as whole names only, since `zip_code` is none.
const LETS_IN: [&str; 16] = [
    "assertion",
    "bearer",
    "code",
    "hmac",
    "invite",
    "key",
    "magic",
    "pass",
    "pin",
    "pw",
    "reset",
    "samlrequest",
    "samlresponse",
    "sid",
    "state",
    "ticket",
];
/// How often a value may be encoded: a target within a target within a target.
const ENCODED: usize = 3;

/// What is hidden.
#[derive(Debug, Clone)]
pub struct Hidden {
    fields: Vec<Path>,
    /// The last names of the fields: parameters of queries and fields of forms with such a name are hidden, too.
    names: Vec<String>,
    key: Hmac<Sha256>,
}

/// What some bodies hold that must not be shown.
#[derive(Debug, Default)]
pub(crate) struct InBodies {
    /// Values, and what stands for each: of hidden fields, of fields whose names are those of credentials, and names of fields
    /// that look like identifiers. Where they are too many, some are missing.
    pub(crate) values: BTreeMap<String, String>,
    places: Vec<Location>,
    /// Of all values together, those that are missing included.
    bytes: usize,
}

impl InBodies {
    /// Whether there are more values than can be looked for.
    pub(crate) fn are_too_many(&self) -> bool {
        self.bytes >= MOST_NAMED
    }
}

impl Hidden {
    pub fn new(fields: Vec<Path>) -> Hidden {
        let key: [u8; 32] = rand::random();
        let name = |field: &Path| {
            let path = field.to_string();
            let last = path.rsplit(['.', '[']).next().unwrap_or_default();
            last.trim_matches(|character: char| matches!(character, ']' | '\'' | '"')).to_ascii_lowercase()
        };
        let names = fields.iter().map(name).filter(|name| !matches!(name.as_str(), "" | "*" | "$")).collect();
        Hidden {
            fields,
            names,
            key: Hmac::new_from_slice(&key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length")),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// `hmac:1f2e3d4c5b6a7988`.
    pub(crate) fn hash(&self, value: &str) -> String {
        let digest = self.key.clone().chain_update(value).finalize().into_bytes();
        let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("hmac:{digits}")
    }

    /// The values in a target's query that are hidden, as they are written.
    pub(crate) fn in_query(&self, target: &str) -> Vec<String> {
        let pairs = target.split_once('?').map_or("", |(_, query)| query).split('&');
        pairs.filter_map(|pair| pair.split_once('=')).flat_map(|(name, value)| self.in_parameter(name, value)).collect()
    }

    /// A target with hashes in place of the values in its query that are hidden.
    pub(crate) fn target(&self, target: &str) -> String {
        let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, value)) if !self.in_parameter(name, value).is_empty() => format!("{name}={}", self.hash(value)),
            _ => pair.to_owned(),
        });
        format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
    }

    /// What is hidden of a parameter: its value, or the credentials within it, as it may be a target itself, like
    /// `next=%2Fcallback%3Faccess_token%3D…`.
    fn in_parameter(&self, name: &str, value: &str) -> Vec<String> {
        if self.hides_parameter(name) || lets_in(name) {
            return vec![value.to_owned()];
        }
        let is_secret = |name: &str| is_credential(name) || lets_in(name);
        let decoded = |text: &String| Some(percent_decode_str(text).decode_utf8_lossy().into_owned());
        let decoded = iter::successors(decoded(&value.to_owned()), decoded).take(ENCODED);
        decoded.flat_map(|text| named_values(text.as_bytes(), &is_secret)).collect()
    }

    fn hides_parameter(&self, name: &str) -> bool {
        let name = percent_decode_str(name).decode_utf8_lossy();
        self.names.iter().any(|hidden| name.eq_ignore_ascii_case(hidden))
    }

    /// What is secret in bodies: in JSON, in forms, and beside the names of credentials in other texts.
    pub(crate) fn of<'a>(&self, bodies: impl IntoIterator<Item = &'a [u8]>) -> InBodies {
        let mut found = InBodies::default();
        for body in bodies {
            match read(body) {
                Ok(json) => {
                    self.walk(&json, &mut Location::default(), false, &mut found);
                    // A name may be a value itself: `{"name": "password", "value": "…"}`.
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
        // The search may have ended before the text did, even if its values are known already.
        found.bytes = found.bytes.max(values.iter().map(String::len).sum());
    }

    /// Whether a JSON value's difference would show a hidden field, one within it, or one around it.
    pub(crate) fn hides(&self, place: &Location, found: &InBodies) -> bool {
        let within = |outer: &Location, inner: &Location| inner.0.starts_with(&outer.0);
        self.covers(&place.0) || found.places.iter().any(|hidden| within(place, hidden))
    }

    /// Whether the value at a place is hidden, or stands in one that is.
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
            // It may be an address with a token, or a form.
            Kind::Text(text) => self.search(text.as_bytes(), found),
            _ => {}
        }
    }

    fn add(&self, value: &str, found: &mut InBodies) {
        if found.are_too_many() || found.values.contains_key(value) {
            return;
        }
        found.bytes += value.len();
        // What finds the values takes many times their memory.
        if !found.are_too_many() {
            found.values.insert(value.to_owned(), self.hash(value));
        }
    }
}

/// Numbers are everywhere: one that is a key cannot be hidden wherever it occurs.
fn is_number(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b','))
}

/// Whether a parameter of a query may let somebody in.
fn lets_in(name: &str) -> bool {
    let name = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase();
    LETS_IN.contains(&name.as_str()) || name.ends_with("sessid")
}
