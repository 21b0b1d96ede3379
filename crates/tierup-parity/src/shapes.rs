//! The shapes of arguments: kinds of values that code tends to treat differently, such as an empty list or a text beyond
//! ASCII. A signature has a limited number of them, so the share that some calls reach can be counted.

use std::collections::BTreeSet;

use serde::Serialize;
use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Function, Interface, Type};

use crate::parts::{places, visit_parts};

/// A kind of value at a place in a signature.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Shape {
    /// The place: `titles`, `titles[]` for its items, `counts{}` for a map's values, `order.lines[].price`.
    pub at: String,
    /// `empty`, `one`, `many`, `zero`, a case's name, …
    pub shape: String,
}

/// Texts and bytes of at least this many bytes are long.
const LONG: usize = 1024;
/// From here on, a whole number may not be exact as a 64-bit float, which is how some languages hold every number.
const INEXACT: u128 = 1 << 53;

/// All shapes that a function's arguments can have, in the order of the signature.
pub fn shapes(function: &Function, interface: &Interface) -> Vec<Shape> {
    let places = places(function, interface).into_iter();
    let of = |(at, ty): (String, Type)| {
        of_type(&ty, interface).into_iter().map(move |shape| Shape { at: at.clone(), shape }).collect::<Vec<_>>()
    };
    places.flat_map(of).collect()
}

/// The shapes of one call's arguments.
pub fn shapes_of(arguments: &[Value], function: &Function, interface: &Interface) -> BTreeSet<Shape> {
    let mut found = BTreeSet::new();
    visit_parts(arguments, function, interface, &mut |at, value, ty| {
        found.extend(of_value(value, ty, interface).into_iter().map(|shape| Shape { at: at.to_owned(), shape }));
    });
    found
}

fn of_type(ty: &Type, interface: &Interface) -> Vec<String> {
    let words: &[&str] = match ty {
        Type::Bool => &["false", "true"],
        Type::Integer(integer) => match (integer.is_signed(), integer.bits() == 64) {
            (true, true) => &["zero", "positive", "negative", "above 2^53"],
            (true, false) => &["zero", "positive", "negative"],
            (false, true) => &["zero", "positive", "above 2^53"],
            (false, false) => &["zero", "positive"],
        },
        Type::F32 | Type::F64 => &["zero", "whole", "fraction", "negative", "not finite"],
        Type::Text => &["empty", "ASCII", "beyond ASCII", "long"],
        Type::Bytes => &["empty", "UTF-8", "not UTF-8", "long"],
        Type::Optional(_) => &["none", "some"],
        Type::List(_) | Type::Map(_) => &["empty", "one", "many"],
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(_) => &[],
            DefinitionKind::Enum(cases) => return cases.iter().map(|case| case.name.clone()).collect(),
        },
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn of_value(value: &Value, ty: &Type, interface: &Interface) -> Vec<String> {
    let words = match value {
        Value::Bool(false) => vec!["false"],
        Value::Bool(true) => vec!["true"],
        Value::Integer(0) => vec!["zero"],
        Value::Integer(number) => {
            let sign = if *number > 0 { "positive" } else { "negative" };
            if number.unsigned_abs() > INEXACT { vec![sign, "above 2^53"] } else { vec![sign] }
        }
        Value::F32(number) => float(f64::from(*number)),
        Value::F64(number) => float(*number),
        Value::Text(text) => match text.len() {
            0 => vec!["empty"],
            length => with_length(if text.is_ascii() { "ASCII" } else { "beyond ASCII" }, length),
        },
        Value::Bytes(bytes) => match bytes.len() {
            0 => vec!["empty"],
            length => with_length(if str::from_utf8(bytes).is_ok() { "UTF-8" } else { "not UTF-8" }, length),
        },
        Value::Optional(None) => vec!["none"],
        Value::Optional(Some(_)) => vec!["some"],
        Value::List(values) => vec![number_of(values.len())],
        Value::Map(values) => vec![number_of(values.len())],
        Value::Record(_) => Vec::new(),
        Value::Enum(number, _) => match ty {
            Type::Defined(index) => match &interface.definitions[*index].kind {
                DefinitionKind::Enum(cases) => {
                    cases.get(usize::from(*number)).map(|case| &*case.name).into_iter().collect()
                }
                DefinitionKind::Record(_) => Vec::new(),
            },
            _ => Vec::new(),
        },
    };
    words.into_iter().map(str::to_owned).collect()
}

fn float(number: f64) -> Vec<&'static str> {
    if !number.is_finite() {
        return vec!["not finite"];
    }
    let size = match number {
        0.0 => "zero",
        number if number.fract() == 0.0 => "whole",
        _ => "fraction",
    };
    if number.is_sign_negative() { vec![size, "negative"] } else { vec![size] }
}

fn with_length(kind: &'static str, length: usize) -> Vec<&'static str> {
    if length >= LONG { vec![kind, "long"] } else { vec![kind] }
}

fn number_of(items: usize) -> &'static str {
    match items {
        0 => "empty",
        1 => "one",
        _ => "many",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tierup_model::{Case, Definition, Field, Integer, Output, Parameter, Passing, Payload};

    use super::*;
    use crate::edge_arguments;

    fn function(parameters: &[(&str, Type)]) -> Function {
        let parameter = |(name, ty): &(&str, Type)| Parameter {
            name: (*name).to_owned(),
            ty: ty.clone(),
            rust: String::new(),
            passing: Passing::Value,
        };
        Function {
            name: "f".to_owned(),
            path: "::x::f".to_owned(),
            docs: String::new(),
            parameters: parameters.iter().map(parameter).collect(),
            output: Output { ty: None, rust: "()".to_owned(), fallible: false },
        }
    }

    fn interface() -> Interface {
        let field = |name: &str, ty| Field { name: name.into(), docs: String::new(), ty, rust: String::new() };
        let case = |name: &str, payload| Case { name: name.into(), docs: String::new(), payload };
        let definition = |name: &str, kind| Definition {
            name: name.into(),
            path: format!("::x::{name}"),
            docs: String::new(),
            kind,
        };
        let cases = vec![
            case("Point", Payload::None),
            case("Line", Payload::Tuple(vec![(Type::F64, "f64".into())])),
            case("Named", Payload::Named(vec![field("name", Type::Text)])),
        ];
        Interface {
            definitions: vec![
                definition("Kind", DefinitionKind::Enum(cases)),
                definition("Item", DefinitionKind::Record(vec![field("kind", Type::Defined(0))])),
            ],
            ..Interface::default()
        }
    }

    fn shown<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> String {
        shapes.into_iter().map(|shape| format!("{} {}", shape.at, shape.shape)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_shape_names_its_place_in_the_signature() {
        let function =
            function(&[("items", Type::List(Box::new(Type::Defined(1)))), ("most", Type::Integer(Integer::U64))]);
        let expected = "items empty, items one, items many, items[].kind Point, items[].kind Line, \
                        items[].kind Named, items[].kind.Line.0 zero, items[].kind.Line.0 whole, \
                        items[].kind.Line.0 fraction, items[].kind.Line.0 negative, items[].kind.Line.0 not finite, \
                        items[].kind.Named.name empty, items[].kind.Named.name ASCII, \
                        items[].kind.Named.name beyond ASCII, items[].kind.Named.name long, most zero, most positive, \
                        most above 2^53";
        assert_eq!(shown(&shapes(&function, &interface())), expected);
        let line = Value::Record(vec![Value::Enum(1, vec![Value::F64(-0.5)])]);
        let found = shapes_of(&[Value::List(vec![line]), Value::Integer(1 << 60)], &function, &interface());
        let expected = "items one, items[].kind Line, items[].kind.Line.0 fraction, items[].kind.Line.0 negative, \
                        most above 2^53, most positive";
        assert_eq!(shown(&found), expected);
    }

    #[test]
    fn every_shape_of_a_value_is_one_of_its_signature() {
        let interface = interface();
        let of = |ty| Box::new(ty);
        let function = function(&[
            ("a", Type::Optional(of(Type::Text))),
            ("b", Type::Map(of(Type::F32))),
            ("c", Type::List(of(Type::Bytes))),
            ("d", Type::Defined(1)),
            ("e", Type::Integer(Integer::I64)),
            ("f", Type::Bool),
        ]);
        let all: BTreeSet<Shape> = shapes(&function, &interface).into_iter().collect();
        let lists = edge_arguments(&function, &interface);
        let found: BTreeSet<Shape> = lists.iter().flat_map(|list| shapes_of(list, &function, &interface)).collect();
        let unknown: Vec<_> = found.difference(&all).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        // Edge values of a list or map are none, one or all edges of its items.
        let missing: Vec<_> = all.difference(&found).map(|shape| format!("{} {}", shape.at, shape.shape)).collect();
        assert_eq!(missing, ["b one"]);
        let one = Value::Map(BTreeMap::from([("k".to_owned(), Value::F32(1.0))]));
        let rest = [Value::List(vec![]), lists[0][3].clone(), Value::Integer(0), Value::Bool(true)];
        let list: Vec<Value> = [Value::Optional(None), one].into_iter().chain(rest).collect();
        assert!(shapes_of(&list, &function, &interface).iter().any(|shape| shape.at == "b" && shape.shape == "one"));
    }
}
