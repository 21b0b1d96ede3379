//! What one type is in both worlds: the package's (camelCase properties, `{ type, value }`, `null`, Map, arrays) and
//! jco's (properties from WIT's names, `{ tag, val }`, `undefined`, lists of pairs, typed arrays).

use heck::ToLowerCamelCase;
use tierup_codegen::shims::component::{NO_FIELD, Names as WitNames};
use tierup_model::{DefinitionKind, Integer, Interface, Payload, Type};

use crate::names::{Names, literal};

/// An interface with its names on both sides.
pub(super) struct Shapes<'a> {
    pub(super) interface: &'a Interface,
    pub(super) names: &'a Names,
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

/// What a case carries.
pub(super) enum Value<'a> {
    None,
    One(&'a Type),
    Several(Vec<&'a Type>),
    Named(Vec<Property<'a>>),
}

/// A definition on both sides.
pub(super) enum Shape<'a> {
    Record(Vec<Property<'a>>),
    /// An enum none of whose cases carries anything: a string in both worlds.
    Words(Vec<CaseShape<'a>>),
    Enum(Vec<CaseShape<'a>>),
}

impl<'a> Shapes<'a> {
    pub(super) fn of(&self, index: usize) -> Shape<'a> {
        let (definition, ours, wit) =
            (&self.interface.definitions[index], &self.names.definitions[index], &self.wit.definitions[index]);
        let cases = match &definition.kind {
            DefinitionKind::Record(fields) => {
                let types = fields.iter().map(|field| &field.ty);
                return Shape::Record(properties(types, &ours.fields, wit.members.iter().map(|member| &member.name)));
            }
            DefinitionKind::Enum(cases) => cases,
        };
        let cases = cases.iter().zip(&ours.cases).zip(&wit.members).map(|((case, ours), wit)| {
            let value = match (&case.payload, &wit.payload) {
                (Payload::Named(fields), Some(record)) => {
                    let types = fields.iter().map(|field| &field.ty);
                    Value::Named(properties(types, &ours.fields, record.members.iter().map(|member| &member.name)))
                }
                (Payload::Tuple(types), _) => match types.as_slice() {
                    [(ty, _)] => Value::One(ty),
                    types => Value::Several(types.iter().map(|(ty, _)| ty).collect()),
                },
                _ => Value::None,
            };
            CaseShape { ours: &ours.tag, jcos: &wit.name, value }
        });
        let cases = cases.collect();
        if definition.is_plain_enum() { Shape::Words(cases) } else { Shape::Enum(cases) }
    }
}

fn properties<'a>(
    types: impl Iterator<Item = &'a Type>,
    ours: &'a [String],
    wit: impl Iterator<Item = &'a String>,
) -> Vec<Property<'a>> {
    types.zip(ours).zip(wit).map(|((ty, ours), wit)| Property { ours, jcos: jcos_name(wit), ty }).collect()
}

/// What jco makes of a WIT name where JavaScript has a property.
pub(super) fn jcos_name(wit: &str) -> String {
    wit.to_lower_camel_case()
}

/// jco's value for a record without fields.
pub(super) fn no_fields() -> String {
    format!("{{ {}: false }}", jcos_name(NO_FIELD))
}

/// The typed array that jco takes and gives for a list of such numbers.
pub(super) fn typed_array(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::F32 => "Float32Array",
        Type::F64 => "Float64Array",
        Type::Integer(integer) => match integer {
            Integer::I8 => "Int8Array",
            Integer::I16 => "Int16Array",
            Integer::I32 => "Int32Array",
            Integer::I64 | Integer::Isize => "BigInt64Array",
            // `list<u8>` is bytes, which have a type of their own.
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
