//! The two forms of each type: the package's (camelCase properties, `{ type, value }`, `null`, Map, arrays) and jco's
//! (properties from WIT's names, `{ tag, val }`, `undefined`, lists of pairs, typed arrays).

use heck::ToLowerCamelCase;
use tierup_codegen::named::{Named, NamedCase, NamedKind, NamedValue};
use tierup_codegen::shims::component::{MemberNames, NO_FIELD, Names as WitNames};
use tierup_model::{Integer, Type};

use crate::names::{Carried, carried, literal};

/// An interface with its names on both sides.
pub(super) struct Shapes<'a> {
    pub(super) named: &'a Named<'a>,
    pub(super) wit: &'a WitNames,
}

/// A field on both sides.
pub(super) struct Property<'a> {
    /// The package's property.
    pub(super) ours: &'a str,
    /// jco's property.
    pub(super) jcos: String,
    pub(super) ty: &'a Type,
}

/// A case on both sides.
pub(super) struct CaseShape<'a> {
    /// The package's `type`.
    pub(super) ours: &'a str,
    /// jco's `tag`.
    pub(super) jcos: &'a str,
    pub(super) value: Value<'a>,
}

/// The data of a case.
pub(super) enum Value<'a> {
    None,
    One(&'a Type),
    Several(Vec<&'a Type>),
    Named(Vec<Property<'a>>),
}

/// A definition on both sides.
pub(super) enum Shape<'a> {
    Record(Vec<Property<'a>>),
    /// An enum whose cases carry no data: a string on both sides.
    Words(Vec<CaseShape<'a>>),
    Enum(Vec<CaseShape<'a>>),
}

impl<'a> Shapes<'a> {
    pub(super) fn of(&self, number: usize) -> Shape<'a> {
        let members = &self.wit.definitions[number].members;
        let cases = |cases: &'a [NamedCase<'a>]| cases.iter().zip(members).map(|(ours, wit)| case(ours, wit)).collect();
        match &self.named.definitions[number].kind {
            NamedKind::Record(fields) => Shape::Record(properties(fields, members)),
            NamedKind::Words(words) => Shape::Words(cases(words)),
            NamedKind::Cases(all) => Shape::Enum(cases(all)),
        }
    }
}

fn case<'a>(ours: &'a NamedCase<'a>, wit: &'a MemberNames) -> CaseShape<'a> {
    let value = match (carried(ours), &wit.payload) {
        (Carried::One(ty), _) => Value::One(ty),
        (Carried::Several(types), _) => Value::Several(types),
        (Carried::Record(fields), Some(record)) => Value::Named(properties(fields, &record.members)),
        (Carried::Record(_) | Carried::Nothing, _) => Value::None,
    };
    CaseShape { ours: &ours.name, jcos: &wit.name, value }
}

fn properties<'a>(ours: &'a [NamedValue<'a>], wit: &'a [MemberNames]) -> Vec<Property<'a>> {
    let pairs = ours.iter().zip(wit);
    pairs.map(|(ours, wit)| Property { ours: &ours.name, jcos: jcos_name(&wit.name), ty: ours.ty }).collect()
}

/// The property that jco derives from a WIT name.
pub(super) fn jcos_name(wit: &str) -> String {
    wit.to_lower_camel_case()
}

/// jco's value for a record without fields.
pub(super) fn no_fields() -> String {
    format!("{{ {}: false }}", jcos_name(NO_FIELD))
}

/// The typed array that jco uses for a list of such numbers.
pub(super) fn typed_array(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::F32 => "Float32Array",
        Type::F64 => "Float64Array",
        Type::Integer(integer) => match integer {
            Integer::I8 => "Int8Array",
            Integer::I16 => "Int16Array",
            Integer::I32 => "Int32Array",
            Integer::I64 | Integer::Isize => "BigInt64Array",
            // `list<u8>` is bytes, which have their own type.
            Integer::U8 => "Uint8Array",
            Integer::U16 => "Uint16Array",
            Integer::U32 => "Uint32Array",
            Integer::U64 | Integer::Usize => "BigUint64Array",
        },
        _ => return None,
    })
}

/// A property in an object literal.
pub(super) fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { literal(name) }
}

/// A property of `object`.
pub(super) fn member(object: &str, name: &str) -> String {
    if is_identifier(name) { format!("{object}.{name}") } else { format!("{object}[{}]", literal(name)) }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_')
}
