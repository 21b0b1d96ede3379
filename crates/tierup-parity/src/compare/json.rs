//! Compares JSON value by value.

mod marks;
mod strings;
mod unordered;

use super::bytes;
use crate::{
    comparator::{DuplicateKeys, JsonRules, Numbers, Tolerance},
    difference::{Difference, Differences, LONGEST, Place},
    json::{self, Decimal, Json, Kind, Member, Text},
    location::{Location, Step},
};

/// The most bytes of a character in UTF-8.
const MOST_OF_CHARACTER: usize = 4;

/// Every value at which two bodies differ. If neither is JSON, the bytes are compared. If only one is JSON, that is
/// the difference.
pub(crate) fn compare(control: &[u8], candidate: &[u8], rules: &JsonRules) -> Differences {
    if control == candidate {
        return Differences::default();
    }
    match (json::read(control), json::read(candidate)) {
        (Ok(mine), Ok(theirs)) => {
            let mut walk = Walk { rules, location: Location::default(), found: Differences::default() };
            walk.values(&mine, &theirs);
            walk.found
        }
        (Err(why), Err(_)) => {
            let mut differences = bytes::compare(control, candidate);
            differences
                .list
                .iter_mut()
                .for_each(|it| it.note = Some(format!("neither body was compared as JSON: {why}")));
            differences
        }
        (mine, theirs) => {
            let shown = |read: Result<Json<'_>, json::JsonError>| match read {
                Ok(_) => "JSON".to_owned(),
                Err(why) => format!("no JSON: {why}"),
            };
            Difference::new(Place::Body, Some(&shown(mine)), Some(&shown(theirs))).into()
        }
    }
}

/// The differences between two values at `location`.
fn differences(control: &Json<'_>, candidate: &Json<'_>, location: &Location, rules: &JsonRules) -> Differences {
    let mut walk = Walk { rules, location: location.clone(), found: Differences::default() };
    walk.values(control, candidate);
    walk.found
}

/// Members sorted by key; members with the same key stay in the order of the text.
fn by_key<'j, 'a>(members: &'j [Member<'a>]) -> Vec<&'j Member<'a>> {
    let mut sorted: Vec<&Member<'_>> = members.iter().collect();
    sorted.sort_by(|one, other| one.key.cmp(&other.key));
    sorted
}

/// The members at the start of the list that have this key.
fn with_key<'l, 'j, 'a>(members: &'l [&'j Member<'a>], key: &Text<'_>) -> &'l [&'j Member<'a>] {
    let count = members.iter().take_while(|member| member.key == *key).count();
    &members[..count]
}

/// Whether a path of `list` matches `location`.
fn is_one_of(list: &[crate::Path], location: &Location) -> bool {
    list.iter().any(|path| path.matches(location))
}

struct Walk<'r> {
    rules: &'r JsonRules,
    location: Location,
    found: Differences,
}

impl Walk<'_> {
    fn values(&mut self, control: &Json<'_>, candidate: &Json<'_>) {
        if is_one_of(&self.rules.ignore, &self.location) {
            return;
        }
        match (&control.kind, &candidate.kind) {
            (Kind::Object(mine), Kind::Object(theirs)) => self.objects(mine, theirs),
            (Kind::Array(mine), Kind::Array(theirs)) if is_one_of(&self.rules.unordered, &self.location) => {
                let found = unordered::compare(mine, theirs, &self.location, self.rules);
                found.list.into_iter().for_each(|difference| self.found.push(difference));
                self.found.left_out += found.left_out;
            }
            (Kind::Array(mine), Kind::Array(theirs)) => {
                for index in 0..mine.len().max(theirs.len()) {
                    self.step(Step::Index(index), mine.get(index), theirs.get(index));
                }
            }
            (Kind::Number(mine), Kind::Number(theirs)) => {
                if !alike(mine, theirs, &self.location, self.rules) {
                    let same = same_value(mine, theirs);
                    self.report(Some(control), Some(candidate), same.then_some("the same value, written differently"));
                }
            }
            (mine, theirs) if mine == theirs => {}
            (Kind::Text(mine), Kind::Text(theirs)) => {
                self.found.push(strings::difference(Place::Json(self.location.clone()), mine, theirs));
            }
            _ => self.report(Some(control), Some(candidate), None),
        }
    }

    /// Compares the control's keys in sorted order, then the keys that only the candidate has.
    fn objects(&mut self, mine: &[Member<'_>], theirs: &[Member<'_>]) {
        let [mine, theirs] = [mine, theirs].map(by_key);
        for group in mine.chunk_by(|one, other| one.key == other.key) {
            let key = &group[0].key;
            let at = theirs.partition_point(|member| member.key < *key);
            self.members(key, group, with_key(&theirs[at..], key));
        }
        for group in theirs.chunk_by(|one, other| one.key == other.key) {
            let key = &group[0].key;
            if mine.binary_search_by(|member| member.key.cmp(key)).is_err() {
                self.members(key, &[], group);
            }
        }
    }

    fn members(&mut self, key: &Text<'_>, mine: &[&Member<'_>], theirs: &[&Member<'_>]) {
        let doubled = mine.len() > 1 || theirs.len() > 1;
        if !doubled || self.rules.duplicate_keys == DuplicateKeys::Last {
            let [mine, theirs] = [mine, theirs].map(|members| members.last().map(|member| &member.value));
            return self.step(Step::key(key), mine, theirs);
        }
        self.location.0.push(Step::key(key));
        if !is_one_of(&self.rules.ignore, &self.location) {
            let all = |members: &[&Member<'_>]| {
                // A difference shows no more of them.
                let texts: Vec<String> = members.iter().take(LONGEST).map(|member| shown(&member.value)).collect();
                (!texts.is_empty()).then(|| texts.join(" and "))
            };
            let place = Place::Json(self.location.clone());
            let difference = Difference::new(place, all(mine).as_deref(), all(theirs).as_deref());
            let (mine, theirs) = (times(mine.len()), times(theirs.len()));
            self.found.push(difference.with_note(format!("the key appears {theirs} instead of {mine}")));
        }
        self.location.0.pop();
    }

    /// Compares the values one step further down.
    fn step(&mut self, step: Step, mine: Option<&Json<'_>>, theirs: Option<&Json<'_>>) {
        self.location.0.push(step);
        match (mine, theirs) {
            (Some(mine), Some(theirs)) => self.values(mine, theirs),
            _ if is_one_of(&self.rules.ignore, &self.location) => {}
            _ => self.report(mine, theirs, None),
        }
        self.location.0.pop();
    }

    fn report(&mut self, mine: Option<&Json<'_>>, theirs: Option<&Json<'_>>, note: Option<&str>) {
        let [mine, theirs] = [mine, theirs].map(|value| value.map(shown));
        let difference = Difference::new(Place::Json(self.location.clone()), mine.as_deref(), theirs.as_deref());
        self.found.push(match note {
            Some(note) => difference.with_note(note),
            None => difference,
        });
    }
}

/// The value, or at least as much of its beginning as a difference shows.
fn shown(value: &Json<'_>) -> String {
    value.brief(LONGEST * MOST_OF_CHARACTER)
}

fn times(count: usize) -> String {
    match count {
        0 => "not".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// Whether two numbers, as they are written, are alike at this place.
fn alike(control: &str, candidate: &str, location: &Location, rules: &JsonRules) -> bool {
    control == candidate
        || rules.numbers == Numbers::Value && same_value(control, candidate)
        || tolerance(control, candidate, location, rules).is_some_and(|it| within(control, candidate, it))
}

/// Whether two numbers have the same value, however they are written.
fn same_value(control: &str, candidate: &str) -> bool {
    matches!((Decimal::parse(control), Decimal::parse(candidate)), (Some(one), Some(other)) if one == other)
}

fn tolerance(control: &str, candidate: &str, location: &Location, rules: &JsonRules) -> Option<Tolerance> {
    let at_path = rules.tolerances.iter().rev().find(|(path, _)| path.matches(location));
    let is_float = |number: &str| number.contains(['.', 'e', 'E']);
    match at_path {
        Some((_, tolerance)) => Some(*tolerance),
        None => rules.tolerance.filter(|_| is_float(control) || is_float(candidate)),
    }
}

fn within(control: &str, candidate: &str, tolerance: Tolerance) -> bool {
    let (Ok(control), Ok(candidate)) = (control.parse::<f64>(), candidate.parse::<f64>()) else { return false };
    // Numbers beyond f64 are infinite here, and their distance is NaN, so they are not within any tolerance.
    let allowed = tolerance.absolute.max(tolerance.relative * control.abs().max(candidate.abs()));
    control.is_finite() && candidate.is_finite() && (control - candidate).abs() <= allowed
}
