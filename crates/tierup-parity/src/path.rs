//! Selects values of a JSON document: a small part of JSONPath.
//!
//! The syntax is the part of RFC 9535 that comparison rules need:
//!
//! | written | means |
//! |---|---|
//! | `$` | the whole document |
//! | `.name`, `['any name']`, `["any name"]` | a member of an object |
//! | `[3]` | an item of an array, from 0 |
//! | `.*`, `[*]` | every member or item |
//! | `..name`, `..['any name']`, `..[3]`, `..*` | the same, at any depth |
//!
//! Slices, filters, lists of selectors and indexes from the end are refused. A short name has letters, digits and `_`.

mod parse;

use std::fmt;
use std::str::FromStr;

use crate::json::Text;
use crate::location::{Location, Step, write_key};

/// A pattern of locations, e.g. `$.items[*].id`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path(Vec<Segment>);

/// Why a text is not a [`Path`], and what to write instead.
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
    /// Whether this path selects a location.
    pub fn matches(&self, location: &Location) -> bool {
        matches(&self.0, &location.0)
    }

    /// The path of a location, with every index replaced by `[*]`: `$.items[3].id` becomes `$.items[*].id`.
    pub fn any_index(location: &Location) -> Path {
        let selector = |step: &Step| match step {
            Step::Index(_) => Selector::All,
            Step::Key(_) => Selector::Step(step.clone()),
        };
        Path(location.0.iter().map(|step| Segment { reach: Reach::Child, selector: selector(step) }).collect())
    }
}

/// Follows the steps with the set of segments that could be next, as a regular expression engine does. Backtracking
/// would take forever for `$..a..a..a` if every key of the document is `a`.
fn matches(segments: &[Segment], steps: &[Step]) -> bool {
    // The last segment must match the last step. This shortcut decides most values; without it, JSON that is hundreds
    // of levels deep would take hundreds of times as long.
    match (segments, steps.last()) {
        ([.., last], Some(step)) if !last.selector.fits(step) => return false,
        ([one], Some(_)) if one.reach == Reach::Descendant => return true,
        _ => {}
    }
    let mut next = vec![false; segments.len() + 1];
    next[0] = true;
    for step in steps {
        next[segments.len()] = false;
        // Backwards, so that one step does not advance through several segments.
        for (place, segment) in segments.iter().enumerate().rev() {
            if next[place] {
                next[place + 1] |= segment.selector.fits(step);
                // A descendant segment matches at any depth, so it stays in the set.
                next[place] = segment.reach == Reach::Descendant;
            }
        }
    }
    next[segments.len()]
}

impl Selector {
    fn fits(&self, step: &Step) -> bool {
        match self {
            Selector::All => true,
            Selector::Step(own) => own == step,
        }
    }
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Path, PathError> {
        parse::parse(path).map(Path).map_err(|what| PathError { path: path.to_owned(), what })
    }
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
                    // The dots of a descendant segment are written already.
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
    fn paths_select_values() {
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
    fn descendants_in_a_deep_document_are_matched_quickly() {
        let path: Path = "$..a..a..a..a..a..a..a..a".parse().unwrap();
        assert!(path.matches(&at(&["a"; 500])));
        assert!(!path.matches(&at(&[["a"; 500].as_slice(), &["b"]].concat())));
    }

    #[test]
    fn invalid_paths_are_refused() {
        for path in [
            "", "items", "$items", "$.", "$.a.", "$...a", "$.[0]", "$.3", "$.a-b", "$[-1]", "$[01]", "$[1:2]",
            "$[?@.a]", "$['a'", "$['a]", "$['a','b']", "$[", "$[]", "$ .a", "$['\\x']",
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
