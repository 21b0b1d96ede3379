//! Masks the secrets of requests in texts and bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{SHORTEST, credentials, is_credential, keys_in, spellings};
use crate::Request;

/// Every secret of some requests.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// From each spelling of a value to its replacement.
    forms: BTreeMap<String, String>,
    /// Finds the longest of the spellings; `None` if there are none.
    finder: Option<AhoCorasick>,
}

/// Values of cookies and parameters that are not secrets. Masking them everywhere would make answers unreadable.
const WORDS: [&str; 5] = ["true", "false", "null", "none", "undefined"];
/// Replaces a credential that was written in the requests file itself.
const MASK: &str = "(masked)";

impl Secrets {
    pub fn of<'a>(requests: impl IntoIterator<Item = &'a Request>) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add(requests);
        secrets
    }

    /// Adds the secrets of more requests.
    pub fn add<'a>(&mut self, requests: impl IntoIterator<Item = &'a Request>) {
        let mut own = Vec::new();
        for request in requests {
            for secret in request.secrets.iter().filter(|secret| secret.is_long_enough()) {
                for form in spellings(&secret.value) {
                    self.forms.insert(form, secret.written.clone());
                }
            }
            let headers = request.headers.iter().filter(|(name, _)| is_credential(name));
            own.extend(headers.flat_map(|(name, value)| credentials(name, value)));
            own.extend(keys_in(&request.target).map(str::to_owned));
        }
        // A credential that came from the environment keeps the name of its variable.
        let is_word = |text: &&String| WORDS.contains(&text.as_str());
        let own = own.iter().filter(|credential| !is_word(credential) && credential.chars().count() >= SHORTEST);
        for credential in own {
            for form in spellings(credential) {
                self.forms.entry(form).or_insert_with(|| MASK.to_owned());
            }
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(self.forms.keys());
        self.finder = finder.ok().filter(|_| !self.forms.is_empty());
    }

    /// The text with its secrets replaced, including parts of secrets where the text was cut (`…`).
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(finder) = &self.finder else {
            // There are more secrets than the finder can hold: show nothing of the text rather than one of them.
            return if self.forms.is_empty() { Cow::Borrowed(text) } else { Cow::Borrowed(MASK) };
        };
        let mut masked = Cow::Borrowed(text);
        if finder.is_match(text) {
            masked = Cow::Owned(finder.replace_all(text, &self.replacements()));
        }
        if masked.contains('…') {
            masked = Cow::Owned(self.mask_cuts(&masked));
        }
        masked
    }

    /// The same for the bytes of a body; `None` if there is nothing to mask.
    pub fn masked_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let Some(finder) = &self.finder else { return (!self.forms.is_empty()).then(|| MASK.into()) };
        finder.is_match(bytes).then(|| finder.replace_all_bytes(bytes, &self.replacements()))
    }

    /// In the finder's order.
    fn replacements(&self) -> Vec<&str> {
        self.forms.values().map(String::as_str).collect()
    }

    fn mask_cuts(&self, text: &str) -> String {
        let pieces: Vec<&str> = text.split('…').collect();
        let mut out = String::with_capacity(text.len());
        for (number, piece) in pieces.iter().enumerate() {
            let is_cut_before = number > 0;
            let is_cut_behind = number + 1 < pieces.len();
            // A text in quotes may be cut within them: `…"rest"`.
            let (quote, piece) = piece.split_at(usize::from(is_cut_before && piece.starts_with('"')));
            let start = self.forms.iter().filter(|_| is_cut_before).find_map(|(form, written)| {
                suffixes(form).find(|suffix| piece.starts_with(suffix)).map(|suffix| (suffix.len(), written.as_str()))
            });
            let (start, before) = start.unwrap_or((0, ""));
            let rest = &piece[start..];
            let end = self.forms.iter().filter(|_| is_cut_behind).find_map(|(form, written)| {
                prefixes(form).find(|prefix| rest.ends_with(prefix)).map(|prefix| (prefix.len(), written.as_str()))
            });
            let (end, behind) = end.unwrap_or((0, ""));
            out.push_str(quote);
            out.push_str(before);
            out.push_str(&rest[..rest.len() - end]);
            out.push_str(behind);
            if is_cut_behind {
                out.push('…');
            }
        }
        out
    }
}

/// The prefixes of a secret, from the longest to the shortest that still reveals something.
fn prefixes(form: &str) -> impl Iterator<Item = &str> {
    let ends: Vec<usize> = form.char_indices().map(|(at, _)| at).skip(SHORTEST).collect();
    ends.into_iter().rev().map(|end| &form[..end])
}

/// The suffixes of a secret, in the same order.
fn suffixes(form: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = form.char_indices().map(|(at, _)| at).skip(1).collect();
    let enough = starts.len().saturating_sub(SHORTEST - 1);
    starts.into_iter().take(enough).map(|start| &form[start..])
}
