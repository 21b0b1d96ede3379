//! The place of a difference, as it is counted and shown: without names of JSON members that are data.
//!
//! In `$.sessions.5f3a…`, the last name is a session. Such names are recognised by their place, by their looks, in the
//! request, or by the number of names beside them. `*` replaces them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use percent_encoding::percent_decode_str;
use tierup_parity::{
    Location, Place, Step,
    json::{Json, Kind, Text, read},
};
use tierup_requests::{is_credential, named_values};

use super::Located;
use crate::{copy::Copied, identifier};

/// Replaces a name that is data, and a position.
const ANY: &str = "*";
/// Longer kinds are cut.
const LONGEST_KIND: usize = 200;
/// The most names in one object, over all mismatches. More of them are names of things.
const MOST_BESIDE: usize = 10;
/// The most objects whose names are remembered. In others, all names count as data.
const MOST_OBJECTS: usize = 1000;

/// The names of members that were seen beside each other, by route and by the place of their object.
#[derive(Debug, Default)]
pub(in crate::mirror) struct Crowds(BTreeMap<(String, String), BTreeSet<String>>);

impl Crowds {
    fn has(&self, object: &(String, String), name: &str) -> bool {
        self.0.get(object).is_some_and(|names| names.contains(name))
    }

    fn is_full(&self, object: &(String, String)) -> bool {
        self.0.get(object).map_or(self.0.len() >= MOST_OBJECTS, |names| names.len() >= MOST_BESIDE)
    }

    fn add(&mut self, object: (String, String), name: String) {
        self.0.entry(object).or_default().insert(name);
    }
}

/// The kind of a difference, from its place without data.
pub(super) fn kind(place: &Place) -> String {
    let mut kind = String::new();
    let mut was_digit = false;
    for character in only_names(place).to_string().chars() {
        let is_digit = character.is_ascii_digit();
        if !is_digit {
            kind.push(character);
        } else if !was_digit {
            kind.push_str(ANY);
        }
        was_digit = is_digit;
    }
    kind.chars().take(LONGEST_KIND).collect()
}

/// A mismatch's place, with `*` for names that are data.
pub(super) fn without_data(of: &Located<'_>, crowds: &mut Crowds) -> Place {
    with_keys(&of.place, &mut |location| {
        let route = of.mismatch.route;
        let mut shown = Location::default();
        for (depth, step) in location.0.iter().enumerate() {
            let Some(name) = key(step) else {
                shown.0.push(step.clone());
                continue;
            };
            let outer = &location.0[..depth];
            let object = (route.to_owned(), kind(&Place::Json(shown.clone())));
            let must_not = outer.iter().filter_map(key).any(|outer| is_credential(&outer))
                || of.hidden.covers(outer)
                || identifier::is_data(&name);
            // A name that was shown before needs no second check.
            let is_shown = !must_not && crowds.has(&object, &name);
            let is_new = !must_not
                && !is_shown
                && !crowds.is_full(&object)
                && !of.known().may_lack_some()
                && !carries(of.mismatch.copied, of.known().bodies.request.as_deref(), route, &name)
                && matches!(of.known().secrets.mask(&name), Cow::Borrowed(_));
            if is_new {
                crowds.add(object, name);
            }
            shown.0.push(if is_shown || is_new { step.clone() } else { any() });
        }
        shown
    })
}

/// The place without names that need quotes, which may hold anything.
fn only_names(place: &Place) -> Place {
    with_keys(place, &mut |location| {
        let steps = location.0.iter().map(|step| {
            let is_quoted = Location(vec![step.clone()]).to_string().starts_with("$['");
            if is_quoted { any() } else { step.clone() }
        });
        Location(steps.collect())
    })
}

fn with_keys(place: &Place, change: &mut dyn FnMut(&Location) -> Location) -> Place {
    match place {
        Place::Json(location) if location.0.iter().any(|step| key(step).is_some()) => Place::Json(change(location)),
        Place::Downstream { call, part: Some(part) } => {
            Place::Downstream { call: *call, part: Some(Box::new(with_keys(part, change))) }
        }
        other => other.clone(),
    }
}

fn key(step: &Step) -> Option<String> {
    match step {
        Step::Key(name) => Some(name.to_string()),
        Step::Index(_) => None,
    }
}

fn any() -> Step {
    Step::Key(Text::from(ANY))
}

/// Whether a name is a value in the request: in its query, its path, its headers or its body. An unreadable body may
/// have any value.
fn carries(copied: &Copied, body: Option<&[u8]>, route: &str, name: &str) -> bool {
    let Some(body) = body else { return true };
    let mut found = false;
    let mut look = |value: &str| found |= value.trim() == name;
    let any_name = |_: &str| true;
    named_values(copied.target.query().unwrap_or_default().as_bytes(), &any_name).iter().for_each(|value| look(value));
    // In the route's name, identifiers are replaced.
    let pattern = route.split_once(' ').map_or("", |(_, path)| path).split('/');
    let parts = copied.target.path().split('/').zip(pattern).filter(|(part, known)| part != known);
    parts.for_each(|(part, _)| look(&percent_decode_str(part).decode_utf8_lossy()));
    for value in copied.headers.values().filter_map(|value| value.to_str().ok()) {
        look(value);
        value.split(';').filter_map(|pair| pair.split_once('=')).for_each(|(_, value)| look(value));
    }
    match read(body) {
        Ok(json) => in_json(&json, &mut look),
        Err(_) => named_values(body, &any_name).iter().for_each(|value| look(value)),
    }
    found
}

fn in_json(json: &Json<'_>, look: &mut dyn FnMut(&str)) {
    match &json.kind {
        Kind::Text(text) => look(&text.to_string()),
        Kind::Number(digits) => look(digits),
        Kind::Array(items) => items.iter().for_each(|item| in_json(item, look)),
        Kind::Object(members) => members.iter().for_each(|member| in_json(&member.value, look)),
        Kind::Null | Kind::Bool(_) => {}
    }
}
