//! Which values of a JSON document are meant: a small part of JSONPath.
//!
//! The syntax is RFC 9535's, as far as rules of comparison need it:
//!
//! | written | means |
//! |---|---|
//! | `$` | the whole document |
//! | `.name`, `['any name']`, `["any name"]` | a member of an object |
//! | `[3]` | an item of an array, from 0 |
//! | `.*`, `[*]` | every member or item |
//! | `..name`, `..['any name']`, `..[3]`, `..*` | the same, at any depth |
//!
//! Slices, filters, lists of selectors and indexes from the end are refused. A short name holds letters, digits and `_`.

use std::fmt;
use std::str::FromStr;

use crate::json::{self, Kind, Text};
use crate::location::{Location, Step, is_in_name, write_key};

/// A pattern of locations, e.g. `$.items[*].id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path(Vec<Segment>);

/// Why a text is no [`Path`], and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {what}")]
pub struct PathError {
    path: String,
    what: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Segment {
    reach: Reach,
    selector: Selector,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reach {
    Child,
    Descendant,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Selector {
    Step(Step),
    All,
}

impl Path {
    /// Whether a location is one of those that are meant.
    pub fn matches(&self, location: &Location) -> bool {
        matches(&self.0, &location.0)
    }

    /// The path of one location, every index of which is made `[*]`: what a person would write for `$.items[3].id`.
    pub fn any_index(location: &Location) -> Path {
        let selector = |step: &Step| match step {
            Step::Index(_) => Selector::All,
            Step::Key(_) => Selector::Step(step.clone()),
        };
        Path(location.0.iter().map(|step| Segment { reach: Reach::Child, selector: selector(step) }).collect())
    }
}

fn matches(segments: &[Segment], steps: &[Step]) -> bool {
    let Some((segment, later)) = segments.split_first() else { return steps.is_empty() };
    // A descendant may stand at any depth, and what follows it has to fit what is left.
    let most = match segment.reach {
        Reach::Child => 1,
        Reach::Descendant => steps.len(),
    };
    (0..steps.len().min(most)).any(|skipped| {
        let fits = match &segment.selector {
            Selector::All => true,
            Selector::Step(step) => *step == steps[skipped],
        };
        fits && matches(later, &steps[skipped + 1..])
    })
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Path, PathError> {
        parse(path).map_err(|what| PathError { path: path.to_owned(), what })
    }
}

fn parse(path: &str) -> Result<Path, String> {
    let mut rest = path.strip_prefix('$').ok_or("a path starts with `$`: `$.items[*].id`")?;
    let mut segments = Vec::new();
    while !rest.is_empty() {
        let (reach, behind) = match rest.strip_prefix("..") {
            Some(behind) => (Reach::Descendant, behind),
            None if rest.starts_with('[') => (Reach::Child, rest),
            None => {
                let behind = rest.strip_prefix('.').ok_or_else(|| unreadable(rest))?;
                if behind.starts_with('[') {
                    return Err(unreadable(rest));
                }
                (Reach::Child, behind)
            }
        };
        let (selector, behind) = match behind.strip_prefix('[') {
            Some(inside) => bracketed(inside)?,
            None => short(behind)?,
        };
        segments.push(Segment { reach, selector });
        rest = behind;
    }
    Ok(Path(segments))
}

/// `name` or `*`, and what follows.
fn short(text: &str) -> Result<(Selector, &str), String> {
    if let Some(rest) = text.strip_prefix('*') {
        return Ok((Selector::All, rest));
    }
    let end = text.find(|c| !is_in_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return Err("a `.` without a name behind it".to_owned());
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("write `[{name}]` for an item, `['{name}']` for a member"));
    }
    if !rest.is_empty() && !rest.starts_with(['.', '[']) {
        return Err(format!("write a name such as `{name}{}` in quotes: `['…']`", &rest[..first_char(rest)]));
    }
    Ok((Selector::Step(Step::Key(Text::from(name).into_owned())), rest))
}

/// What stands behind `[`, and what follows `]`.
fn bracketed(inside: &str) -> Result<(Selector, &str), String> {
    if let Some(rest) = inside.strip_prefix("*]") {
        return Ok((Selector::All, rest));
    }
    if let Some(quote @ ('\'' | '"')) = inside.chars().next() {
        let end = closing(&inside[1..], quote).ok_or("a name without a closing quote")?;
        let name = quoted(&inside[1..1 + end], quote)?;
        let rest = inside[end + 2..].strip_prefix(']').ok_or("a name in quotes without `]` behind it")?;
        return Ok((Selector::Step(Step::Key(name)), rest));
    }
    let (index, rest) = inside.split_once(']').ok_or("a `[` without `]`")?;
    match index.parse::<usize>() {
        Ok(number) if number.to_string() == index => Ok((Selector::Step(Step::Index(number)), rest)),
        _ => Err(format!("`[{index}]` is neither an index from 0 nor `[*]` nor a name in quotes")),
    }
}

/// Where the quote stands that is not behind a backslash.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_end = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        is_end.then_some(at)
    })
}

/// A name in quotes has JSON's escapes, and `\'`.
fn quoted(content: &str, quote: char) -> Result<Text<'static>, String> {
    let json = if quote == '\'' { content.replace("\\'", "'").replace('"', "\\\"") } else { content.to_owned() };
    match json::read(format!("\"{json}\"").as_bytes()) {
        Ok(json::Json { kind: Kind::Text(text), .. }) => Ok(text.into_owned()),
        _ => Err(format!("{quote}{content}{quote} is no name: escape as JSON does")),
    }
}

fn unreadable(rest: &str) -> String {
    format!("`{}` where `.name`, `[…]` or `..name` could stand", &rest[..first_char(rest)])
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        self.0.iter().try_for_each(|segment| {
            if segment.reach == Reach::Descendant {
                f.write_str("..")?;
            }
            match (&segment.selector, segment.reach) {
                (Selector::All, _) => f.write_str("[*]"),
                (Selector::Step(Step::Index(index)), _) => write!(f, "[{index}]"),
                (Selector::Step(Step::Key(key)), reach) => {
                    let key = Key(key).to_string();
                    // A descendant's dots stand already.
                    f.write_str(if reach == Reach::Descendant { key.trim_start_matches('.') } else { &key })
                }
            }
        })
    }
}

struct Key<'a>(&'a Text<'static>);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_key(self.0, f)
    }
}

impl serde::Serialize for Path {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(steps: &[&str]) -> Location {
        let step = |step: &&str| match step.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(Text::from(*step).into_owned()),
        };
        Location(steps.iter().map(step).collect())
    }

    #[track_caller]
    fn check(path: &str, yes: &[&[&str]], no: &[&[&str]]) {
        let parsed: Path = path.parse().unwrap();
        for location in yes {
            assert!(parsed.matches(&at(location)), "{path} {location:?}");
        }
        for location in no {
            assert!(!parsed.matches(&at(location)), "{path} {location:?}");
        }
        assert_eq!(parsed.to_string().parse::<Path>().unwrap(), parsed);
    }

    #[test]
    fn what_paths_mean() {
        check("$", &[&[]], &[&["a"]]);
        check("$.a", &[&["a"]], &[&[], &["b"], &["a", "b"]]);
        check("$.items[*].id", &[&["items", "0", "id"], &["items", "x", "id"]], &[&["items", "id"]]);
        check("$['two words'][3]", &[&["two words", "3"]], &[&["two words", "4"]]);
        check(r#"$["a'b"]['c"d']['e\'f\\']"#, &[&["a'b", "c\"d", "e'f\\"]], &[]);
        check("$..id", &[&["id"], &["a", "0", "id"], &["id", "id"]], &[&[], &["id", "a"]]);
        check("$..a..b", &[&["a", "b"], &["x", "a", "y", "b"], &["a", "a", "b", "b"]], &[&["b", "a"]]);
        check("$..a.b", &[&["a", "a", "b"]], &[&["a", "x", "b"]]);
        check("$.größe.*", &[&["größe", "1"]], &[]);
        check("$..[*]", &[&["a"], &["a", "b"]], &[&[]]);
        check("$..*", &[&["a"], &["a", "b"]], &[&[]]);
    }

    #[test]
    fn what_is_no_path() {
        for path in [
            "",
            "items",
            "$items",
            "$.",
            "$.a.",
            "$...a",
            "$.[0]",
            "$.3",
            "$.a-b",
            "$[-1]",
            "$[01]",
            "$[1:2]",
            "$[?@.a]",
            "$['a'",
            "$['a]",
            "$['a','b']",
            "$[",
            "$[]",
            "$ .a",
            "$['\\x']",
        ] {
            assert!(path.parse::<Path>().is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn every_location_is_a_path_to_itself(steps in proptest::collection::vec(
            prop_oneof![
                any::<String>().prop_map(|key| Step::Key(Text::from(key.as_str()).into_owned())),
                (0usize..1000).prop_map(Step::Index),
            ],
            0..5,
        )) {
            let location = Location(steps);
            let path: Path = location.to_string().parse().unwrap();
            prop_assert!(path.matches(&location));
            prop_assert_eq!(path.to_string(), location.to_string());
        }
    }
}
