//! A mismatch as evidence keeps it: its request and its first difference, without secrets.
//!
//! Of bodies, only the values that differ are kept, cut as in reports. Credentials are recognised by the names of
//! headers, parameters and fields. Their values are hidden wherever they occur again, and so are values in the
//! request's target that few clients sent. `place` is the difference's place, without names of members that are data.
//! docs/shadow.md lists what stays.

mod known;
mod place;

use std::cell::OnceCell;

use tierup_parity::{Coding, Difference, Observation, Place, Seen};
use tierup_requests::is_credential;
use tierup_rollout::evidence::{self, Pair};

use self::known::{NotShown, holds_target, texts};
pub(super) use self::{known::targets, place::Crowds};
use super::candidate::target;
use crate::{
    copy::Copied,
    hidden::{Hidden, InBodies, hash},
};

/// Longer requests and texts are cut, in characters.
const LONGEST: usize = 1000;
/// Headers that decide the form of an answer, and hold nothing of the client.
const KEPT: [&str; 4] = ["accept", "accept-encoding", "content-type", "range"];
/// Replaces what is not shown.
const HIDDEN: &str = "(hidden)";

/// A mismatch with everything that describes it.
#[derive(Clone, Copy)]
pub(super) struct Mismatch<'a> {
    /// The name under which the request is counted.
    pub(super) route: &'a str,
    pub(super) pair: Pair,
    pub(super) copied: &'a Copied,
    pub(super) control: &'a Observation,
    pub(super) other: &'a Observation,
    pub(super) first: &'a Difference,
}

/// The size of a request in bytes: the smallest of a kind is kept.
pub(super) fn size(copied: &Copied) -> u64 {
    (copied.target.to_string().len() + copied.body.len()) as u64
}

/// A mismatch whose place has no names that are data.
pub(super) struct Located<'a> {
    mismatch: Mismatch<'a>,
    hidden: &'a Hidden,
    place: Place,
    known: OnceCell<NotShown<'a>>,
}

impl<'a> Mismatch<'a> {
    pub(super) fn located(self, hidden: &'a Hidden, crowds: &mut Crowds) -> Located<'a> {
        let mut located = Located { mismatch: self, hidden, place: self.first.place.clone(), known: OnceCell::new() };
        located.place = place::without_data(&located, crowds);
        located
    }
}

impl<'a> Located<'a> {
    /// The kind of the difference: its place, without positions. `$.items[3].id` and `$.items[4].id` are of one kind.
    pub(super) fn kind(&self) -> String {
        place::kind(&self.place)
    }

    fn known(&self) -> &NotShown<'a> {
        self.known.get_or_init(|| NotShown::collect(self.mismatch, self.hidden))
    }

    pub(super) fn shown(&self) -> evidence::Difference {
        let Mismatch { route, pair, copied, .. } = self.mismatch;
        let NotShown { bodies, secrets, .. } = self.known();
        let target = target(copied);
        // Any part of the request may repeat a value that was not searched for.
        let is_unknown = self.known().may_lack_some();
        let asked = match is_unknown {
            true => HIDDEN.to_owned(),
            false => secrets.mask(&self.known().target).into_owned(),
        };
        let not_repeatable = if bodies.are_unknown {
            Some("a body cannot be decoded, and any value may be secret")
        } else if is_unknown {
            Some("too many of its values may be secret")
        } else if !copied.body.is_empty() {
            Some("its body is not kept")
        } else if asked != target || asked.chars().count() > LONGEST {
            Some("a part of its target is hidden")
        } else if copied.headers.keys().any(|name| is_credential(name.as_str())) {
            Some("its credentials are not kept")
        } else {
            None
        };
        evidence::Difference {
            // The name has no identifiers, and is in the counts as well.
            route: route.to_owned(),
            pair,
            kind: self.kind(),
            request: cut(&format!("{} {asked}", copied.method)),
            size: size(copied),
            words: cut(&secrets.mask(&self.words())),
            headers: if is_unknown { Vec::new() } else { self.kept_headers() },
            not_repeatable: not_repeatable.map(str::to_owned),
        }
    }

    /// The difference in words, without values that are hidden, or secret by the names beside them.
    fn words(&self) -> String {
        let (place, known) = (&self.place, self.known());
        let NotShown { bodies, in_bodies, .. } = known;
        let Difference { control, candidate, note, .. } = self.mismatch.first;
        let value = |value: &Option<String>| value.as_deref().map(|value| self.value(value));
        let note = note.as_deref().map(|note| known.in_values.mask(note).into_owned());
        let first = Difference { place: place.clone(), control: value(control), candidate: value(candidate), note };
        let shown = first.to_string();
        // The text may be JSON that is compared byte for byte.
        let mut names = shown.split(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '-'));
        // A secret cannot be found in bytes that are shown as numbers.
        let in_bytes = || is_byte(place) && bodies.iter().any(|body| known.in_values.masked_bytes(body).is_some());
        let may_be_anything = known.are_too_many() || (bodies.are_unknown && !self.mismatch.has_no_value());
        if names.any(is_credential) || in_bytes() || may_be_anything {
            return format!("{place}: the values differ (not shown, as they may hold a credential)");
        }
        if !self.hidden.is_empty() && may_hold_hidden(&self.mismatch.first.place, self.hidden, in_bodies) {
            let hash = |value: &Option<String>| value.as_ref().map_or("nothing".to_owned(), |value| hash(value));
            return format!("{place}: {} instead of {}", hash(candidate), hash(control));
        }
        shown
    }

    /// The shown form of a value that differs.
    fn value(&self, value: &str) -> String {
        let shown = match &self.mismatch.first.place {
            Place::Header(name) if holds_target(name) => self.hidden.shown(value, "").text,
            Place::Downstream { part: None, .. } => {
                let (method, rest) = value.split_once(' ').unwrap_or(("", value));
                let (target, body) = rest.split_once(' ').map_or((rest, None), |(target, body)| (target, Some(body)));
                let body = body.map_or(String::new(), |body| format!(" {body}"));
                format!("{method} {}{body}", self.hidden.shown(target, "").text)
            }
            _ => value.to_owned(),
        };
        self.known().in_values.mask(&shown).into_owned()
    }

    fn kept_headers(&self) -> Vec<(String, String)> {
        let headers =
            texts(&self.mismatch.copied.headers).into_iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
        headers.map(|(name, value)| (name, cut(&self.known().in_values.mask(&value)))).collect()
    }
}

impl<'a> Mismatch<'a> {
    /// Whether the difference has no value from a server: it is the status, or that a body cannot be decoded.
    fn has_no_value(&self) -> bool {
        let is_damaged = |observation: &Observation| match &observation.seen {
            Seen::Answer(answer) => matches!(answer.coding, Coding::Damaged(_)),
            _ => false,
        };
        match self.first.place {
            Place::Status => true,
            Place::Body => [self.control, self.other].into_iter().any(is_damaged),
            _ => false,
        }
    }
}

/// Whether the values at a place may hold a hidden field. Only for JSON it can be ruled out.
fn may_hold_hidden(place: &Place, hidden: &Hidden, found: &InBodies) -> bool {
    match place {
        Place::Json(location) => hidden.hides(location, found),
        Place::Downstream { part: Some(part), .. } => may_hold_hidden(part, hidden, found),
        Place::Status | Place::ContentType | Place::Header(_) => false,
        _ => true,
    }
}

fn is_byte(place: &Place) -> bool {
    match place {
        Place::Byte(_) => true,
        Place::Downstream { part: Some(part), .. } => is_byte(part),
        _ => false,
    }
}

fn cut(text: &str) -> String {
    let mut rest = text.chars();
    let cut: String = rest.by_ref().take(LONGEST).collect();
    if rest.next().is_some() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests;
