//! Shapes as Rust types. In: a [`Shape`], and how the host spells fields. Out: the type's text and the structs that it
//! needs, or why the value cannot cross.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use tierup_codegen::{Spelling, camel_case::camel, rust::identifier};

use crate::shape::Shape;

/// A struct, or an enum with cases that carry no data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) of: Parts,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Names and types of a struct's fields.
    Fields(Vec<(String, String)>),
    Cases(Vec<String>),
}

/// Writes types, and collects the definitions that they need.
pub(crate) struct Types {
    pub(crate) spelling: Spelling,
    pub(crate) definitions: Vec<Definition>,
}

/// Names that a definition must not take.
const TAKEN: [&str; 6] = ["BTreeMap", "Option", "Result", "Self", "String", "Vec"];

impl Types {
    /// The owned type of a shape. A struct in it is named after `name`.
    pub(crate) fn owned(&mut self, shape: &Shape, name: &str) -> Result<String, String> {
        Ok(match shape {
            Shape::Unseen => return Err("no value was seen".to_owned()),
            Shape::Refused { why } => return Err(why.clone()),
            Shape::Empty => return Err("an array that was always empty, so that its elements are not known".to_owned()),
            Shape::Text => "String".to_owned(),
            Shape::Bool => "bool".to_owned(),
            Shape::Bytes | Shape::Raw => "Vec<u8>".to_owned(),
            Shape::Float => "f64".to_owned(),
            Shape::Whole { signed: false, .. } => "u32".to_owned(),
            Shape::Whole { signed: true, large: false } => "i32".to_owned(),
            // A JavaScript package has bigints for 64 bits, but integers of JSON are numbers.
            Shape::Whole { signed: true, large: true } if self.spelling == Spelling::CamelCase => "f64".to_owned(),
            Shape::Whole { signed: true, large: true } | Shape::Wide { signed: true } => "i64".to_owned(),
            Shape::Wide { signed: false } => "u64".to_owned(),
            Shape::List { of } => format!("Vec<{}>", self.within(of, name, "list")?),
            Shape::Map { of } => format!("BTreeMap<String, {}>", self.within(of, name, "map")?),
            Shape::Optional { of } => format!("Option<{}>", self.owned(of, name)?),
            Shape::Record { fields } => self.record(fields, name)?,
            // A choice stays text if one of its texts is no valid name for a case.
            Shape::Choice { words } if words.iter().all(|word| can_be_case(word)) => {
                self.named(Parts::Cases(words.clone()), name)
            }
            Shape::Choice { .. } => "String".to_owned(),
        })
    }

    /// The type of a parameter, which is borrowed if that saves a copy.
    pub(crate) fn parameter(&mut self, shape: &Shape, name: &str) -> Result<String, String> {
        Ok(match shape {
            Shape::Text => "&str".to_owned(),
            Shape::Choice { .. } => match self.owned(shape, name)? {
                text if text == "String" => "&str".to_owned(),
                case => case,
            },
            Shape::Bytes | Shape::Raw => "&[u8]".to_owned(),
            Shape::List { of } => format!("&[{}]", self.within(of, name, "list")?),
            Shape::Map { .. } | Shape::Record { .. } => format!("&{}", self.owned(shape, name)?),
            Shape::Optional { of } => match &**of {
                Shape::Text => "Option<&str>".to_owned(),
                Shape::Bytes | Shape::Raw => "Option<&[u8]>".to_owned(),
                _ => self.owned(shape, name)?,
            },
            _ => self.owned(shape, name)?,
        })
    }

    fn within(&mut self, of: &Shape, name: &str, what: &str) -> Result<String, String> {
        match of {
            Shape::Unseen => Err(format!("a {what} that was always empty, so that its elements are not known")),
            // A list of small numbers would be bytes.
            _ => self.owned(of, &singular(name)),
        }
    }

    fn record(&mut self, fields: &[(String, Shape)], name: &str) -> Result<String, String> {
        let mut written: Vec<(String, String)> = Vec::new();
        for (host_name, shape) in fields {
            let rust = host_name.to_snake_case();
            let back = match self.spelling {
                Spelling::CamelCase => camel(&rust),
                Spelling::PascalCase => rust.to_upper_camel_case(),
                Spelling::AsInRust => rust.clone(),
            };
            // A Go struct is converted to that of the package, so its field names may differ.
            if back != *host_name && self.spelling != Spelling::PascalCase {
                return Err(format!("a record whose field `{host_name}` would be `{back}` in the package"));
            }
            let ty =
                self.owned(shape, host_name).map_err(|why| format!("a record whose field `{host_name}` is {why}"))?;
            let field = identifier(&rust).to_string();
            if written.iter().any(|(known, _)| *known == field) {
                return Err(format!("a record with two fields that Rust would call `{field}`"));
            }
            written.push((field, ty));
        }
        Ok(self.named(Parts::Fields(written), name))
    }

    /// The name of the definition with these parts, which is added if it is new.
    fn named(&mut self, of: Parts, name: &str) -> String {
        if let Some(known) = self.definitions.iter().find(|known| known.of == of) {
            return known.name.clone();
        }
        let wished = match name.to_upper_camel_case() {
            wished if wished.is_empty() || wished.starts_with(|first: char| first.is_ascii_digit()) => {
                "Record".to_owned()
            }
            wished if TAKEN.contains(&wished.as_str()) => format!("{wished}Record"),
            wished => wished,
        };
        let is_free = |name: &String| self.definitions.iter().all(|known| known.name != *name);
        let numbered = (2..).map(|number| format!("{wished}{number}"));
        let name = std::iter::once(wished.clone()).chain(numbered).find(is_free).unwrap_or(wished);
        self.definitions.push(Definition { name: name.clone(), of });
        name
    }
}

/// The name for a struct of a list's elements: `items` gives `item`.
fn singular(name: &str) -> String {
    match name.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => name.to_owned(),
    }
}

/// Whether a text is a valid Rust name as it is. The package uses the names of an enum's cases as its texts.
fn can_be_case(word: &str) -> bool {
    let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    is_name && identifier(word) == word
}
