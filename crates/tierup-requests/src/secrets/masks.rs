//! Masks the secrets of requests in texts and bytes.

mod cuts;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::readings::{Reading, readings};
use super::spellings::{disguises, spellings};
use super::{SHORTEST, credentials, is_credential, keys_in, named_values};
use crate::Request;

/// All secrets of some requests.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Each spelling of a value, with its replacement.
    forms: BTreeMap<String, String>,
    /// Finds the longest of the spellings, and knows the replacement of each; `None` without secrets.
    finder: Option<(AhoCorasick, Vec<String>)>,
}

/// Values of cookies and parameters that are not secrets. Masking them everywhere would make answers unreadable.
const WORDS: [&str; 5] = ["true", "false", "null", "none", "undefined"];
/// Replaces a credential that was written in the requests file itself.
const MASK: &str = "(masked)";

/// The range of a secret, or of a part of one, in a text, and its replacement.
type Found<'s> = (Range<usize>, &'s str);

impl Secrets {
    pub fn collect<'a>(requests: impl IntoIterator<Item = &'a Request>) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add(requests);
        secrets
    }

    /// Adds the secrets of more requests.
    pub fn add<'a>(&mut self, requests: impl IntoIterator<Item = &'a Request>) {
        let mut own = Vec::new();
        for request in requests {
            self.add_values(request, disguises);
            for (name, value) in &request.headers {
                if is_credential(name) {
                    own.extend(credentials(name, value));
                } else {
                    own.extend(named_values(value.as_bytes(), &is_credential));
                }
            }
            own.extend(named_values(request.target.as_bytes(), &is_credential));
            own.extend(named_values(&request.body, &is_credential));
        }
        // A credential that came from the environment keeps the name of its variable.
        let is_word = |text: &&String| WORDS.contains(&text.as_str());
        let own = own.iter().filter(|credential| !is_word(credential) && credential.chars().count() >= SHORTEST);
        for credential in own {
            for form in disguises(credential) {
                self.forms.entry(form).or_insert_with(|| MASK.to_owned());
            }
        }
        self.find();
    }

    /// The values that a request has from outside its file, in the spellings that a file may use. Their names replace
    /// them.
    pub(super) fn with_names(request: &Request) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add_values(request, spellings);
        for key in keys_in(&request.target).filter(|key| key.chars().count() >= SHORTEST) {
            secrets.forms.entry(key.to_owned()).or_insert_with(|| MASK.to_owned());
        }
        secrets.find();
        secrets
    }

    fn add_values(&mut self, request: &Request, forms: fn(&str) -> Vec<String>) {
        for secret in request.secrets.iter().filter(|secret| secret.is_long_enough()) {
            self.forms.extend(forms(&secret.value).into_iter().map(|form| (form, secret.written.clone())));
        }
    }

    fn find(&mut self) {
        self.forms.retain(|form, _| form.chars().count() >= SHORTEST);
        // By default, a small set of patterns becomes a DFA, which takes kilobytes for each of their bytes.
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(AhoCorasickKind::ContiguousNFA)).match_kind(MatchKind::LeftmostLongest);
        let finder = builder.build(self.forms.keys());
        let finder = finder.ok().filter(|_| !self.forms.is_empty());
        self.finder = finder.map(|finder| (finder, self.forms.values().cloned().collect()));
    }

    /// The text with its secrets replaced, however their characters are escaped, including parts of secrets next to a
    /// cut (`…`).
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(finder) = &self.finder else {
            // There are more secrets than the finder can hold: hide the whole text rather than show one of them.
            return if self.forms.is_empty() { Cow::Borrowed(text) } else { Cow::Borrowed(MASK) };
        };
        let mut found = Vec::new();
        for reading in readings(text.as_bytes()) {
            found.extend(Self::whole(finder, &reading));
            found.extend(cuts::parts(&self.forms, &reading));
        }
        let boundaries = |(range, written): Found<'_>| {
            (text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end), written.to_owned())
        };
        let found: Vec<_> = apart(found).into_iter().map(boundaries).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
        for (range, written) in found {
            masked.push_str(&text[from..range.start]);
            masked.push_str(&written);
            from = range.end;
        }
        Cow::Owned(masked + &text[from..])
    }

    /// The bytes of a body with its secrets masked; `None` if there is nothing to mask.
    pub fn masked_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let Some(finder) = &self.finder else { return (!self.forms.is_empty()).then(|| MASK.into()) };
        let all = readings(bytes).flat_map(|reading| Self::whole(finder, &reading));
        let found = apart(all.collect());
        if found.is_empty() {
            return None;
        }
        let (mut masked, mut from) = (Vec::with_capacity(bytes.len()), 0);
        for (range, written) in found {
            masked.extend_from_slice(&bytes[from..range.start]);
            masked.extend_from_slice(written.as_bytes());
            from = range.end;
        }
        masked.extend_from_slice(&bytes[from..]);
        Some(masked)
    }

    fn whole<'s>(finder: &'s (AhoCorasick, Vec<String>), reading: &Reading<'_>) -> Vec<Found<'s>> {
        let (finder, written) = finder;
        let found = finder.find_iter(&*reading.bytes).map(|found| {
            let range = reading.source(found.start())..reading.source(found.end());
            (range, written[found.pattern().as_usize()].as_str())
        });
        found.collect()
    }
}

/// Sorts the places by their order in the text, and merges those that overlap.
fn apart(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    // If several begin at the same byte, the longest one's replacement is used.
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut apart: Vec<Found<'_>> = Vec::new();
    for (range, written) in found {
        match apart.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push((range, written)),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileLine, Secret};

    #[test]
    fn a_long_secret_takes_little_memory() {
        let value: String = (0..1_000_u32).map(|at| char::from(b' ' + (at * at % 95) as u8)).collect();
        let place = FileLine { file: String::new(), line: 1 };
        let secrets = vec![Secret { value: value.clone(), written: "(hidden)".to_owned() }];
        let request = Request {
            name: String::new(),
            place,
            method: String::new(),
            target: String::new(),
            host: None,
            headers: Vec::new(),
            body: Vec::new(),
            expected_status: None,
            secrets,
        };
        let secrets = Secrets::collect([&request]);
        assert_eq!(secrets.mask(&format!("a {value} b")), "a (hidden) b");
        let bytes: usize = secrets.forms.keys().map(String::len).sum();
        let (finder, _) = secrets.finder.as_ref().expect("it can be built");
        assert!(finder.memory_usage() < 40 * bytes, "{} for {bytes}", finder.memory_usage());
    }
}
