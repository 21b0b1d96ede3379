//! The types of values, merged over all calls. In: the shapes that a witness wrote. Out: one [`Shape`].

use serde::{Deserialize, Deserializer};

/// The type of an argument, an answer, or a part of one. A witness writes a shape for each kind of value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Shape {
    /// No value was seen.
    #[serde(skip)]
    Unseen,
    Text,
    Bool,
    Bytes,
    /// Bytes that are not text, in a language that has one type for both.
    Raw,
    Float,
    /// A whole number that fits into 32 bits; `large` if it needs the 32nd bit for its value.
    Whole {
        signed: bool,
        large: bool,
    },
    /// A whole number that needs 64 bits; `signed` if it fits into an `i64`.
    Wide {
        signed: bool,
    },
    List {
        #[serde(deserialize_with = "of_all")]
        of: Box<Shape>,
    },
    /// A map whose keys are text.
    Map {
        #[serde(deserialize_with = "of_all")]
        of: Box<Shape>,
    },
    /// An empty list or map, in a language that has one type for both.
    Empty,
    /// A record. Its fields have the host's names, and the order in which they were first seen.
    Record {
        fields: Vec<(String, Shape)>,
    },
    /// A value that may be absent. A witness writes it for a single `undefined`, `null` or `None`.
    #[serde(rename = "absent")]
    Optional {
        #[serde(skip, default = "unseen")]
        of: Box<Shape>,
    },
    /// One of these texts, by a declaration.
    #[serde(skip)]
    Choice {
        words: Vec<String>,
    },
    /// A value that cannot cross; `why` is a phrase such as `a function`.
    Refused {
        why: String,
    },
}

fn unseen() -> Box<Shape> {
    Box::new(Shape::Unseen)
}

/// Merges the shapes of a list's or map's values.
fn of_all<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Shape>, D::Error> {
    Ok(Box::new(Shape::merge(Vec::deserialize(deserializer)?)))
}

impl Shape {
    /// Merges all shapes into one.
    pub(crate) fn merge(all: Vec<Shape>) -> Shape {
        all.into_iter().fold(Shape::Unseen, Shape::merged)
    }

    pub(crate) fn list(of: Shape) -> Shape {
        Shape::List { of: Box::new(of) }
    }

    pub(crate) fn map(of: Shape) -> Shape {
        Shape::Map { of: Box::new(of) }
    }

    pub(crate) fn optional(of: Shape) -> Shape {
        Shape::Optional { of: Box::new(of) }
    }

    /// The shape that fits both.
    #[must_use]
    pub fn merged(self, other: Shape) -> Shape {
        use Shape::*;
        match (self, other) {
            (Refused { why }, _) | (_, Refused { why }) => Refused { why },
            (Unseen, seen) | (seen, Unseen) => seen,
            (Optional { of: one }, Optional { of: other }) => Shape::optional(one.merged(*other)),
            (Optional { of: one }, other) | (other, Optional { of: one }) => Shape::optional(one.merged(other)),
            (Whole { signed: a, large: b }, Whole { signed: c, large: d }) => Whole { signed: a || c, large: b || d },
            (Whole { .. } | Float, Whole { .. } | Float) => Float,
            (Wide { signed: one }, Wide { signed: other }) => Wide { signed: one && other },
            (Whole { signed: true, .. }, Wide { signed: false })
            | (Wide { signed: false }, Whole { signed: true, .. }) => {
                Refused { why: "sometimes negative and sometimes beyond 63 bits".to_owned() }
            }
            (Whole { .. }, Wide { signed }) | (Wide { signed }, Whole { .. }) => Wide { signed },
            (Text | Raw, Raw) | (Raw, Text) => Raw,
            (Empty, seen @ (List { .. } | Map { .. })) | (seen @ (List { .. } | Map { .. }), Empty) => seen,
            (List { of: one }, List { of: other }) => Shape::list(one.merged(*other)),
            (Map { of: one }, Map { of: other }) => Shape::map(one.merged(*other)),
            (Record { fields: one }, Record { fields: other }) => Record { fields: both(one, other) },
            // The object seen as a map was empty, or had keys that the source does not name.
            (Record { fields }, Map { of }) | (Map { of }, Record { fields }) => {
                Shape::map(fields.into_iter().map(|(_, shape)| shape).fold(*of, Shape::merged))
            }
            (one, other) if one == other => one,
            (one, other) => {
                // The reason must not depend on the order of the requests, which changes each time.
                let mut words = [one.words(), other.words()];
                words.sort_unstable();
                Refused { why: format!("sometimes {} and sometimes {}", words[0], words[1]) }
            }
        }
    }

    /// The shape in words, such as `text` or `a list`.
    pub(crate) fn words(&self) -> &str {
        match self {
            Shape::Unseen => "nothing",
            Shape::Text | Shape::Choice { .. } => "text",
            Shape::Bool => "a boolean",
            Shape::Bytes | Shape::Raw => "bytes",
            Shape::Wide { .. } => "a whole number of 64 bits",
            Shape::Float | Shape::Whole { .. } => "a number",
            Shape::List { .. } => "a list",
            Shape::Empty => "an empty array",
            Shape::Map { .. } => "a map",
            Shape::Record { .. } => "a record",
            Shape::Optional { .. } => "nothing",
            Shape::Refused { why } => why,
        }
    }
}

/// Merges the fields of two records. A field that only one of them has is optional.
fn both(one: Vec<(String, Shape)>, other: Vec<(String, Shape)>) -> Vec<(String, Shape)> {
    let optional = |shape: Shape| shape.merged(Shape::optional(Shape::Unseen));
    let mut other = other;
    let mut all: Vec<(String, Shape)> = one
        .into_iter()
        .map(|(name, shape)| match other.iter().position(|(known, _)| *known == name) {
            Some(place) => {
                let merged = shape.merged(other.remove(place).1);
                (name, merged)
            }
            None => (name, optional(shape)),
        })
        .collect();
    all.extend(other.into_iter().map(|(name, shape)| (name, optional(shape))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(json: &str) -> Shape {
        Shape::merge(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn values_of_one_argument_become_one_shape() {
        let whole = |signed, large| Shape::Whole { signed, large };
        let optional = Shape::optional;
        assert_eq!(merged(r#"[{"is":"text"},{"is":"absent"},{"is":"text"}]"#), optional(Shape::Text));
        let two = r#"[{"is":"whole","signed":true,"large":false},{"is":"whole","signed":false,"large":true}]"#;
        assert_eq!(merged(two), whole(true, true));
        assert_eq!(merged(r#"[{"is":"whole","signed":true,"large":false},{"is":"float"}]"#), Shape::Float);
        let records = r#"[{"is":"record","fields":[["a",{"is":"text"}]]},
            {"is":"record","fields":[["a",{"is":"absent"}],["b",{"is":"bool"}]]}]"#;
        let expected = vec![("a".to_owned(), optional(Shape::Text)), ("b".to_owned(), optional(Shape::Bool))];
        assert_eq!(merged(records), Shape::Record { fields: expected });
        assert_eq!(merged(r#"[{"is":"text"},{"is":"raw"},{"is":"text"}]"#), Shape::Raw);
        assert_eq!(merged(r#"[{"is":"text"},{"is":"text"}]"#), Shape::Text);
        let list =
            r#"[{"is":"empty"},{"is":"list","of":[{"is":"empty"},{"is":"map","of":[{"is":"bool"}]}]},{"is":"empty"}]"#;
        assert_eq!(merged(list), Shape::list(Shape::map(Shape::Bool)));
        let emptied = r#"[{"is":"map","of":[]},{"is":"record","fields":[["a",{"is":"text"}]]}]"#;
        assert_eq!(merged(emptied), Shape::map(Shape::Text));
        assert_eq!(
            merged(r#"[{"is":"text"},{"is":"bool"}]"#),
            Shape::Refused { why: "sometimes a boolean and sometimes text".into() }
        );
    }
}
