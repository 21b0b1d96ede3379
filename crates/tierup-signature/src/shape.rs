//! What values were, merged over all calls. In: the shapes that a witness wrote. Out: one [`Shape`].

use serde::Deserialize;

/// What a value is, as a witness writes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub(crate) enum Written {
    /// `undefined`, `null`, `None`.
    Absent,
    Text,
    Bool,
    Bytes,
    Float,
    /// A whole number that fits into 32 bits: `large` needs the 32nd for its value.
    Whole {
        signed: bool,
        large: bool,
    },
    /// A whole number that needs 64 bits; `signed` if it fits into an `i64`.
    Wide {
        signed: bool,
    },
    List {
        of: Vec<Written>,
    },
    Map {
        of: Vec<Written>,
    },
    Record {
        fields: Vec<(String, Written)>,
    },
    Refused {
        why: String,
    },
}

/// What the values of one place were.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// No value was seen.
    Unseen,
    Text,
    Bool,
    Bytes,
    Float,
    Whole {
        signed: bool,
        large: bool,
    },
    /// 64 bits.
    Wide {
        signed: bool,
    },
    List(Box<Shape>),
    /// Keys are text.
    Map(Box<Shape>),
    /// Fields in the order in which they were first seen, by the host's names.
    Record(Vec<(String, Shape)>),
    /// Sometimes nothing.
    Optional(Box<Shape>),
    /// It cannot cross: `a function`.
    Refused(String),
}

impl Shape {
    /// All of them as one.
    pub(crate) fn of(written: &[Written]) -> Shape {
        written.iter().map(Shape::one).fold(Shape::Unseen, Shape::merged)
    }

    fn one(written: &Written) -> Shape {
        match written {
            Written::Absent => Shape::Optional(Box::new(Shape::Unseen)),
            Written::Text => Shape::Text,
            Written::Bool => Shape::Bool,
            Written::Bytes => Shape::Bytes,
            Written::Float => Shape::Float,
            Written::Whole { signed, large } => Shape::Whole { signed: *signed, large: *large },
            Written::Wide { signed } => Shape::Wide { signed: *signed },
            Written::List { of } => Shape::List(Box::new(Shape::of(of))),
            Written::Map { of } => Shape::Map(Box::new(Shape::of(of))),
            Written::Record { fields } => {
                Shape::Record(fields.iter().map(|(name, written)| (name.clone(), Shape::one(written))).collect())
            }
            Written::Refused { why } => Shape::Refused(why.clone()),
        }
    }

    /// What fits both.
    #[must_use]
    pub fn merged(self, other: Shape) -> Shape {
        use Shape::*;
        match (self, other) {
            (Refused(why), _) | (_, Refused(why)) => Refused(why),
            (Unseen, seen) | (seen, Unseen) => seen,
            (Optional(one), Optional(other)) => Optional(Box::new(one.merged(*other))),
            (Optional(one), other) | (other, Optional(one)) => Optional(Box::new(one.merged(other))),
            (Whole { signed: a, large: b }, Whole { signed: c, large: d }) => Whole { signed: a || c, large: b || d },
            (Whole { .. } | Float, Whole { .. } | Float) => Float,
            (Wide { signed: one }, Wide { signed: other }) => Wide { signed: one && other },
            (Whole { .. }, Wide { signed }) | (Wide { signed }, Whole { .. }) => Wide { signed },
            (List(one), List(other)) => List(Box::new(one.merged(*other))),
            (Map(one), Map(other)) => Map(Box::new(one.merged(*other))),
            (Record(one), Record(other)) => Record(fields(one, other)),
            // An empty object, or one with names that are not in the source, is a map.
            (Record(one), Map(of)) | (Map(of), Record(one)) => {
                Map(Box::new(one.into_iter().map(|(_, shape)| shape).fold(*of, Shape::merged)))
            }
            (one, other) if one == other => one,
            (one, other) => Refused(format!("sometimes {} and sometimes {}", one.words(), other.words())),
        }
    }

    /// `text`, `a list`.
    pub(crate) fn words(&self) -> &str {
        match self {
            Shape::Unseen => "nothing",
            Shape::Text => "text",
            Shape::Bool => "a boolean",
            Shape::Bytes => "bytes",
            Shape::Float | Shape::Whole { .. } | Shape::Wide { .. } => "a number",
            Shape::List(_) => "a list",
            Shape::Map(_) => "a map",
            Shape::Record(_) => "a record",
            Shape::Optional(_) => "nothing",
            Shape::Refused(why) => why,
        }
    }
}

/// A field that not all records have is optional.
fn fields(one: Vec<(String, Shape)>, other: Vec<(String, Shape)>) -> Vec<(String, Shape)> {
    let optional = |shape: Shape| shape.merged(Shape::Optional(Box::new(Shape::Unseen)));
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

    fn of(json: &str) -> Shape {
        Shape::of(&serde_json::from_str::<Vec<Written>>(json).unwrap())
    }

    #[test]
    fn values_of_one_place_become_one_shape() {
        let whole = |signed, large| Shape::Whole { signed, large };
        let optional = |shape| Shape::Optional(Box::new(shape));
        assert_eq!(of(r#"[{"is":"text"},{"is":"absent"},{"is":"text"}]"#), optional(Shape::Text));
        let two = r#"[{"is":"whole","signed":true,"large":false},{"is":"whole","signed":false,"large":true}]"#;
        assert_eq!(of(two), whole(true, true));
        assert_eq!(of(r#"[{"is":"whole","signed":true,"large":false},{"is":"float"}]"#), Shape::Float);
        let records = r#"[{"is":"record","fields":[["a",{"is":"text"}]]},
            {"is":"record","fields":[["a",{"is":"absent"}],["b",{"is":"bool"}]]}]"#;
        let expected = vec![("a".to_owned(), optional(Shape::Text)), ("b".to_owned(), optional(Shape::Bool))];
        assert_eq!(of(records), Shape::Record(expected));
        let emptied = r#"[{"is":"map","of":[]},{"is":"record","fields":[["a",{"is":"text"}]]}]"#;
        assert_eq!(of(emptied), Shape::Map(Box::new(Shape::Text)));
        assert_eq!(
            of(r#"[{"is":"text"},{"is":"bool"}]"#),
            Shape::Refused("sometimes text and sometimes a boolean".into())
        );
    }
}
