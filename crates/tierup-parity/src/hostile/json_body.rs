//! JSON bodies that are broken, or are JSON of the wrong shape.

use std::ops::Range;

use tierup_requests::Request;

use super::{Hostile, variation};
use crate::Path;
use crate::json::{self, Json, Kind};
use crate::location::{Location, Step};

/// Values are varied at no more places than this; the items of an array count as one place.
const MOST_PLACES: usize = 16;
/// Deeper than the limit of any reader that has one.
const DEEP: usize = 100_000;

/// Values to put where something else is expected, each with its name.
const OTHERS: [(&str, &str); 19] = [
    ("null", "null"),
    ("true", "a bool"),
    ("0", "0"),
    ("-0", "minus zero"),
    ("-1", "negative"),
    ("1.0", "a whole number with a point"),
    ("1.5", "a fraction"),
    ("1e3", "a number with an exponent"),
    ("9007199254740993", "a number that is no f64"),
    ("18446744073709551616", "a number beyond 64 bits"),
    ("12345678901234567890123", "a number of 23 digits"),
    ("1e400", "a number beyond f64"),
    ("\"\"", "an empty text"),
    ("\"1\"", "a text that is a number"),
    ("\"\\u0000\"", "a NUL in a text"),
    ("\"\\ud800\"", "half of a surrogate pair"),
    ("[]", "an empty array"),
    ("{}", "an empty object"),
    ("{\"__proto__\":{}}", "an object with `__proto__`"),
];

/// Texts that are not JSON, although some readers accept them.
const BROKEN: [(&str, &str); 8] = [
    ("NaN", "NaN"),
    ("Infinity", "Infinity"),
    ("01", "a number with a leading zero"),
    (".5", "a number without a digit before the point"),
    ("+1", "a number with a plus sign"),
    ("'a'", "a text in single quotes"),
    ("\"\t\"", "a tab in a text"),
    ("undefined", "undefined"),
];

pub(super) fn hostile(good: &Request) -> Vec<Hostile> {
    let Ok(text) = std::str::from_utf8(&good.body) else { return Vec::new() };
    let Ok(root) = json::read(&good.body) else { return Vec::new() };
    let edited = |what: String, range: Range<usize>, new: &[u8]| {
        let body = [&good.body[..range.start], new, &good.body[range.end..]].concat();
        variation(good, format!("JSON: {what}"), |request| request.body = body)
    };
    let end = root.range.end;
    let mut all = vec![
        edited("nothing but space".to_owned(), 0..text.len(), b" "),
        edited(format!("{DEEP} arrays deep"), 0..text.len(), deep("[", "]").as_bytes()),
        edited(format!("{DEEP} objects deep"), 0..text.len(), deep("{\"a\":", "}").as_bytes()),
        edited(format!("{DEEP} arrays that are not closed"), 0..text.len(), "[".repeat(DEEP).as_bytes()),
        edited("a comment behind it".to_owned(), end..end, b" // tierup"),
        edited("text behind it".to_owned(), end..end, b"tierup"),
    ];
    if matches!(root.kind, Kind::Array(_) | Kind::Object(_)) {
        all.push(edited("a comma at its end".to_owned(), end - 1..end - 1, b","));
        all.push(edited("without its last bracket".to_owned(), end - 1..end, b""));
    }
    let mut places = Places::default();
    places.visit(&root, &mut Location::default());
    for (location, value) in &places.values {
        let place = |what: &str| format!("`{location}` is {what}");
        for (other, what) in OTHERS.into_iter().chain(BROKEN) {
            all.push(edited(place(what), value.range.clone(), other.as_bytes()));
        }
        all.push(edited(place("not UTF-8"), value.range.clone(), b"\"\xff\""));
        let inside = value.range.end - 1;
        match &value.kind {
            Kind::Text(_) => all.push(edited(place("1 MiB long"), inside..inside, "a".repeat(1 << 20).as_bytes())),
            Kind::Array(items) if !items.is_empty() => {
                let item = &text[items[0].range.clone()];
                let many = format!("{item},").repeat((1 << 20) / (item.len() + 1));
                all.push(edited(place("1 MiB of items"), items[0].range.start..items[0].range.start, many.as_bytes()));
            }
            Kind::Object(members) => {
                let comma = if members.is_empty() { "" } else { "," };
                let unknown = format!("{comma}\"tierup_unknown\":1");
                all.push(edited(
                    format!("`{location}` has a key that nobody asked for"),
                    inside..inside,
                    unknown.as_bytes(),
                ));
                all.extend(
                    members_of(members, location, text)
                        .into_iter()
                        .map(|(what, range, new)| edited(what, range, new.as_bytes())),
                );
            }
            _ => {}
        }
    }
    all
}

/// For each member, a description and the edit for it: missing, twice, twice with another value, its key in capitals.
fn members_of(members: &[json::Member<'_>], location: &Location, text: &str) -> Vec<(String, Range<usize>, String)> {
    let mut edits = Vec::new();
    for (place, member) in members.iter().enumerate().take(MOST_PLACES) {
        let key = &text[member.key_range.clone()];
        let whole = member.key_range.start..member.value.range.end;
        let say = |what: &str| format!("`{location}`: {key} {what}");
        // The edit removes the comma after the member too, or the one before it if the member is the last.
        let removed = match (members.get(place + 1), place.checked_sub(1).and_then(|before| members.get(before))) {
            (Some(next), _) => whole.start..next.key_range.start,
            (None, Some(before)) => before.value.range.end..whole.end,
            (None, None) => whole.clone(),
        };
        edits.push((say("is missing"), removed, String::new()));
        edits.push((say("is there twice, the same"), whole.end..whole.end, format!(",{}", &text[whole.clone()])));
        edits.push((say("is there twice, null first"), whole.start..whole.start, format!("{key}:null,")));
        edits.push((say("is there twice, null last"), whole.end..whole.end, format!(",{key}:null")));
        if !key.contains('\\') {
            edits.push((say("is in capitals"), member.key_range.clone(), key.to_uppercase()));
        }
        let bare = key.trim_matches('"').to_owned();
        edits.push((say("has no quotes"), member.key_range.clone(), bare));
    }
    edits
}

/// Values of a document, one for each kind of place.
#[derive(Default)]
struct Places<'j, 'a> {
    values: Vec<(Location, &'j Json<'a>)>,
    seen: Vec<Path>,
}

impl<'j, 'a> Places<'j, 'a> {
    fn visit(&mut self, value: &'j Json<'a>, location: &mut Location) {
        let path = Path::any_index(location);
        if self.values.len() == MOST_PLACES || self.seen.contains(&path) {
            return;
        }
        self.seen.push(path);
        self.values.push((location.clone(), value));
        let steps: Vec<(Step, &Json<'_>)> = match &value.kind {
            Kind::Array(items) => items.iter().enumerate().map(|(index, item)| (Step::Index(index), item)).collect(),
            Kind::Object(members) => members.iter().map(|member| (Step::key(&member.key), &member.value)).collect(),
            _ => Vec::new(),
        };
        for (step, value) in steps {
            location.0.push(step);
            self.visit(value, location);
            location.0.pop();
        }
    }
}

fn deep(open: &str, close: &str) -> String {
    format!("{}0{}", open.repeat(DEEP), close.repeat(DEEP))
}
